package checker

import (
	"fmt"
	"strings"
)

var whatBroke = map[string]string{
	MutualExclusion: "two clients were inside at once",
	LeaseExclusion:  "two clients were inside while both leases were valid",
	OwnerRelease:    "a client released a lock that was another's",
	Orphan:          "the lock stayed taken although nobody held it",
	Deadlock:        "a client that tried was not granted the lock in time",
	Fencing:         "fencing tokens did not grow",
	LostUpdate:      "an update of the guarded resource was lost",
	Reentry:         "re-entry did not count right",
	Validity:        "two clients were inside while the lock told both that they held it",
	"mutex":         "no mutex can have answered like this",
	"lease":         "no lock with such leases can have answered like this",
	"reentrant":     "no re-entrant lock can have answered like this",
	"register":      "no register can have answered like this",
	"fencing":       "fencing tokens did not grow",
}

// violatedSummary is one sentence on what was violated: the gravest first, with its class and assumption.
func violatedSummary(ps []Property) string {
	var parts []string
	for _, p := range ps {
		what := whatBroke[p.Property]
		var how []string
		if p.Class != "" {
			how = append(how, p.Class)
		}
		if p.Assumption != "" {
			how = append(how, "a fault broke the assumption of "+p.Assumption)
		}
		if len(how) > 0 {
			what += " (" + strings.Join(how, "; ") + ")"
		}
		parts = append(parts, what)
	}
	return sentence(strings.Join(parts, "; "))
}

func unknownSummary(ps []Property) string {
	if len(ps) == 0 {
		return "Nothing could be judged: the lock promises none of the properties, or the workload exercised none."
	}
	return sentence("nothing wrong was seen, but that proves nothing: " + ps[0].Because)
}

func (c *check) validSummary() string {
	e := c.verdict.Evidence
	return fmt.Sprintf("Nothing wrong in %s, %d of them contended.", plural(e.Acquisitions, "acquisition"), e.Contended)
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// sentence makes words begin with a capital and end with a full stop.
func sentence(words string) string {
	if words == "" {
		return ""
	}
	words = strings.ToUpper(words[:1]) + words[1:]
	if strings.HasSuffix(words, ".") {
		return words
	}
	return words + "."
}
