package reports

import (
	"slices"
	"strings"
	"time"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/units"
	"github.com/lockbench/lockbench/reports/page"
)

// caveats are what the environment does otherwise than its words make a reader think.
func caveats(r *View) (cs []string) {
	if r.History.Header.Environment != "sim" && slices.ContainsFunc(r.faults, fault.linked) {
		cs = append(cs,
			"A link that is cut or held here loses or keeps data, but not the end of a connection: the proxy passes FIN and RST. A real partition lets neither through, so a client may notice later than it did here.")
	}
	return cs
}

func subtitle(r *View) string {
	h := r.History.Header
	parts := []string{units.Count(len(r.clients), "client"), units.Count(max(1, h.Keys), "lock")}
	if h.TTL > 0 {
		parts = append(parts, "lease "+units.Span(h.TTL))
	}
	if h.Workload != "" {
		parts = append(parts, "workload "+page.Clean(h.Workload, 40))
	}
	if h.Environment != "" {
		where := "environment " + page.Clean(h.Environment, 40)
		if v := h.Versions["redis"]; v != "" {
			where += ", Redis " + page.Clean(v, 40)
		}
		parts = append(parts, where)
	} else {
		parts = append(parts, "an imported history")
	}
	if h.Started != "" {
		parts = append(parts, startedAt(h.Started))
	}
	return strings.Join(parts, " · ")
}

// startedAt writes an RFC 3339 time for people, to the second; anything else as it is.
func startedAt(s string) string {
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return page.Clean(s, 40)
	}
	return t.Format("2006-01-02 15:04:05 MST")
}

// expectation is what somebody expected of a run, and how it compares; "" if nobody said anything,
// as of a run of a matrix.
func expectation(r *View) (what, how string) {
	v := r.Verdict
	switch {
	case v == nil || v.Expect == "" || r.History.Header.Expect == "" &&
		v.Expect == string(checker.Valid):
		return "", ""
	case v.AsExpected:
		return page.Clean(v.Expect, 40), "as expected"
	}
	return page.Clean(v.Expect, 40), "not as expected"
}
