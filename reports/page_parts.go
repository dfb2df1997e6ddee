package reports

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/history"
	"github.com/lockbench/lockbench/internal/units"
)

// caveats are what the environment does otherwise than its words make a reader think.
func caveats(h history.Header, f *facts) (cs []string) {
	if h.Environment != "sim" && slices.ContainsFunc(f.faults, fault.linked) {
		cs = append(cs,
			"A link that is cut or held here loses or keeps data, but not the end of a connection: the proxy passes FIN and RST. A real partition lets neither through, so a client may notice later than it did here.")
	}
	return cs
}

func subtitle(h history.Header, f *facts) string {
	parts := []string{units.Count(len(f.clients), "client"), units.Count(max(1, h.Keys), "lock")}
	if h.TTL > 0 {
		parts = append(parts, "lease "+units.Span(h.TTL))
	}
	if h.Workload != "" {
		parts = append(parts, "workload "+clean(h.Workload, 40))
	}
	if h.Environment != "" {
		where := "environment " + clean(h.Environment, 40)
		if v := h.Versions["redis"]; v != "" {
			where += ", Redis " + clean(v, 40)
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
		return clean(s, 40)
	}
	return t.Format("2006-01-02 15:04:05 MST")
}

// verdict adds whether this was expected, and what broke.
func (p *page) verdict(r Run) {
	v := r.Verdict
	if v == nil {
		return
	}
	if what, how := expectation(r); what != "" {
		p.Expectation = "Expected: " + what + ". This is " + how + "."
	}
	p.Broke = clean(v.HarnessError, 400)
	if q := v.Porcupine; q.Result != "" {
		p.Porcupine = fmt.Sprintf("%s says %s over %s in %s", judge(q.Version), clean(q.Result, 20),
			units.Count(q.Operations, "operation"), units.Span(q.Took))
	}
}

// expectation is what somebody expected of a run, and how it compares; "" if nobody said anything,
// as of a run of a matrix.
func expectation(r Run) (what, how string) {
	v := r.Verdict
	switch {
	case v == nil || v.Expect == "" || r.History.Header.Expect == "" &&
		v.Expect == string(checker.Valid):
		return "", ""
	case v.AsExpected:
		return clean(v.Expect, 40), "as expected"
	}
	return clean(v.Expect, 40), "not as expected"
}

func newStory(r Run, f *facts, w *witness, n int) story {
	s := story{ID: fmt.Sprintf("violation-%d", n+1), Title: w.title()}
	for _, words := range w.words {
		s.Words = append(s.Words, clean(words, 4000))
	}
	s.Steps, s.StepsLeft = stepsOf(r, f, w)
	if len(s.Steps) > 1 {
		s.Sequence = drawSequence(s.Steps, w, n)
	}
	return s
}

func (p *page) about(r Run) {
	h := r.History.Header
	for k, v := range h.Versions {
		p.Versions = append(p.Versions, [2]string{clean(k, 40), clean(v, 80)})
	}
	slices.SortFunc(p.Versions, func(a, b [2]string) int { return strings.Compare(a[0], b[0]) })
	p.Versions = p.Versions[:min(len(p.Versions), maxRows)]
	add := func(name, value string) {
		if value != "" && value != "0s" && value != "0" {
			p.Facts = append(p.Facts, [2]string{name, clean(value, 200)})
		}
	}
	add("lock", h.Impl)
	add("fault", h.Nemesis)
	add("workload", h.Workload)
	add("environment", h.Environment)
	add("topology", h.Topology)
	p.Facts = append(p.Facts, [2]string{"seed", fmt.Sprint(h.Seed)})
	add("lease (TTL)", h.TTL.String())
	add("poll", h.Poll.D().Round(time.Microsecond).String())
	add("assumed clock drift", fmt.Sprint(h.Drift))
	add("started", h.Started)
	p.Command = clean(h.Command, 2000)
	var b bytes.Buffer
	if json.Indent(&b, r.Plan, "", "  ") == nil && b.Len() > 0 {
		p.Plan = printable(b.String())
		if len(p.Plan) > 200_000 {
			p.Plan = p.Plan[:200_000] + "\n…"
			p.note("the rest of the plan, which is in plan.json")
		}
	}
}

// printable is clean for text of several lines.
func printable(s string) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		lines[i] = clean(l, 0)
	}
	return strings.Join(lines, "\n")
}
