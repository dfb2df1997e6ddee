package explain

import (
	"strings"

	"github.com/lockbench/lockbench/checker/verdict"
	"github.com/lockbench/lockbench/history"
)

// Missing says in a sentence what a history lacks of what its plan requires, or "".
func Missing(e verdict.Evidence, r history.Requires) string {
	var out []string
	if e.Contended < r.Contended {
		out = append(out, Say("%s contended, and %d are needed",
			only(e.Contended, "acquisition was", "acquisitions were"), r.Contended))
	}
	if e.Hits < r.Hits {
		out = append(out, Say("%s of %d fell into a hold with another client waiting",
			only(e.Hits, "strike", "strikes"), r.Hits))
	}
	if r.Failover && e.AfterFailover == 0 {
		out = append(out, Say("the new master granted nothing after the failover"))
	}
	return strings.Join(out, "; ")
}

// only is "no strike", "only 1 strike", "only 2 strikes".
func only(n int, one, many string) string {
	switch n {
	case 0:
		return Say("no " + one)
	case 1:
		return Say("only 1 " + one)
	}
	return Say("only %d "+many, n)
}
