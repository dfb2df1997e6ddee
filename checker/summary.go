package checker

import (
	"slices"
	"strings"

	"github.com/lockbench/lockbench/checker/explain"
	"github.com/lockbench/lockbench/checker/record"
)

var whatBroke = map[string]string{
	MutualExclusion: "two clients were inside at once",
	LeaseExclusion:  "two clients were inside while both leases were valid",
	OwnerRelease:    "a client released a lock that was another's",
	Orphan:          "the lock stayed taken although no client held it",
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

// violatedSummary says what was violated and why, the gravest first: "Two clients were inside at
// once: the grant was lost by the failover (durability)." What has the same reason shares it.
func (c *check) violatedSummary(ps []Property) string {
	var parts []string
	for i := 0; i < len(ps); i++ {
		p := ps[i]
		what := explain.Say(whatBroke[p.Property])
		if p.Property == MutualExclusion && i+1 < len(ps) && ps[i+1].Property == LeaseExclusion &&
			ps[i+1].Class == p.Class {
			what += explain.Say(" while both leases were valid")
			p = ps[i+1] // of the two, this is the one that names an assumption
			i++
		}
		if why := c.why(p); why != "" {
			what += ": " + why
		}
		parts = append(parts, what)
	}
	return sentence(strings.Join(parts, "; "))
}

// why gives the reason of a violation, from its class and the assumption that a fault broke; ""
// where the property says it all.
func (c *check) why(p Property) string {
	why := map[string]string{
		LeaseOverrun:       "the lease of one ran out while it was inside",
		LostByFailover:     "the grant was lost by the restart",
		ReleasedByNonOwner: "another client released it",
		LateMessage:        "a message came late and was accepted",
		Clock:              "a clock was wrong",
		DoubleGrant:        "it was granted twice",
	}[p.Class]
	switch {
	case p.Class == ReleasedByNonOwner && p.Property == OwnerRelease, p.Class == DoubleGrant &&
		(p.Property == Fencing || p.Property == "fencing"):
		return ""
	case p.Class == LostByFailover && slices.ContainsFunc(c.faults, func(f record.Fault) bool {
		return f.Promotes()
	}):
		why = "the grant was lost by the failover"
	}
	why = explain.Say(why)
	if p.Assumption != "" {
		why += " (" + p.Assumption + ")"
	}
	return why
}

func unknownSummary(ps []Property) string {
	if len(ps) == 0 {
		return explain.Say(
			"Nothing could be judged: the lock promises none of the properties, or the workload exercised " +
				"none.")
	}
	return sentence(explain.Say("nothing wrong was seen, but that proves nothing: ") + ps[0].Reason)
}

func (c *check) validSummary() string {
	e := c.verdict.Evidence
	return explain.Say("Nothing wrong in %s, %d of them contended.", plural(e.Acquisitions,
		"acquisition"), e.Contended)
}

func plural(n int, what string) string {
	if n == 1 {
		return explain.Say("1 " + what)
	}
	return explain.Say("%d "+what+"s", n)
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
