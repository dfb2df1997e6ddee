package explain

import (
	"math"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/checker/verdict"
	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/nemesis"
)

// whatBroke describes the violation of a property, or of a model of an imported history.
func whatBroke(name string) string {
	if row, ok := history.FindProperty(name); ok {
		return row.Broken
	}
	return modelBroke[name]
}

var modelBroke = map[string]string{
	"mutex":     "no mutex can have answered like this",
	"lease":     "no lock with such leases can have answered like this",
	"reentrant": "no re-entrant lock can have answered like this",
	"register":  "no register can have answered like this",
	"fencing":   "fencing tokens did not grow",
}

// Violated summarizes violations, which come in the order of their rank, with their causes.
// Example: "Two clients were inside at once: the grant was lost by the failover (durability)." S
// and L with the same reason share it.
func Violated(ps []verdict.Property, faults []record.Fault) string {
	var parts []string
	for i := 0; i < len(ps); i++ {
		p := ps[i]
		what := broken(p)
		if p.Property == verdict.LeaseExclusion && i+1 < len(ps) &&
			ps[i+1].Property == verdict.MutualExclusion && ps[i+1].Class == p.Class {
			what = Say(whatBroke(verdict.MutualExclusion)) + Say(" while both leases were valid")
			i++ // of the two, L names the assumption
		}
		if why := why(p, faults); why != "" {
			what += ": " + why
		}
		parts = append(parts, what)
	}
	return units.Sentence(strings.Join(parts, "; "))
}

// broken describes a violation without its reason.
func broken(p verdict.Property) string {
	if p.Class == verdict.RenewedByNonOwner {
		return Say("a client renewed a lock that was another's")
	}
	return Say(whatBroke(p.Property))
}

// why gives the reason of a violation, from its class and the assumption that a fault broke; ""
// where the property says it all.
func why(p verdict.Property, faults []record.Fault) string {
	why := verdict.FindClass(p.Class).Summary
	switch {
	case modelBroke[p.Property] != "" && p.Cause != "":
		return p.Cause
	case p.Class == verdict.ReleasedByNonOwner && p.Property == verdict.OwnerRelease,
		p.Class == verdict.RenewedByNonOwner,
		p.Class == verdict.DoubleGrant && (p.Property == verdict.Fencing || p.Property == "fencing"):
		return ""
	case p.Class == verdict.LostByServer && p.Property == verdict.Fencing:
		why = "a server lost the counter"
	case p.Class == verdict.LostByServer && slices.ContainsFunc(faults, func(f record.Fault) bool {
		return f.Promotes()
	}):
		why = "the grant was lost by the failover"
	case p.Class == verdict.LostByServer && slices.ContainsFunc(faults, func(f record.Fault) bool {
		return f.Action == nemesis.LoseDisk
	}):
		why = "the grant was lost with the server's disk"
	}
	why = Say(why)
	if verdict.FindClass(p.Class).Overrun {
		why += Say(", which no lease prevents")
	}
	if p.Assumption != "" && p.Class != "" {
		why += " (" + p.Assumption + ")"
	}
	return why
}

// Unknown summarizes a history that proves nothing: ps are the unknown properties.
func Unknown(ps []verdict.Property) string {
	return units.Sentence(Say("nothing wrong was seen, but that proves nothing: ") + ps[0].Reason)
}

// ListUnjudged summarizes a history in which none of the chosen properties ps can be judged.
func ListUnjudged(ps []verdict.Property) string {
	var why []string
	for _, p := range ps {
		if !p.Reported && p.Reason != "" {
			why = append(why, Say("%s is not judged: %s", p.Property, p.Reason))
		}
	}
	return strings.Join(why, "; ") + "."
}

// Valid summarizes a history without a violation that decides. Reported are the letters that are
// violated and do not.
func Valid(e verdict.Evidence, reported []string) string {
	if e.Acquisitions == 0 {
		return Say("Nothing wrong in %s.", plural(e.Observed, "answer")+
			Say(" that said what a register held"))
	}
	wrong, also := "Nothing wrong", ""
	if len(reported) > 0 {
		wrong = "Nothing wrong that decides"
		also = Say("; %s violated (only reported)", enumerated(reported))
	}
	return Say("%s in %s, %d of them contended%s.", wrong, plural(e.Acquisitions, "acquisition"),
		e.Contended, also)
}

// Starved describes a client that others passed over.
func Starved(s *verdict.Starvation) string {
	return Say("client %d was not granted lock %d in %s, while it was granted to others %s: if each "+
		"grant is a fair draw among waiting clients, that happens once in 10^%d times", s.Client, s.Key,
		plural(s.Tries, "call"), plural(s.Others, "time"), int(-math.Log10(s.Chance)))
}
