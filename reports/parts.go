package reports

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/internal/campaign/tour"
	"github.com/lockbench/lockbench/reports/page"
	"github.com/lockbench/lockbench/reports/sequence"
	"github.com/lockbench/lockbench/reports/timeline"
	"github.com/lockbench/lockbench/reports/view"
)

// verdict adds whether this was expected, and an error of the harness.
func (p *runPage) verdict(v *view.View) {
	if v.Verdict == nil {
		return
	}
	if what, how := v.Expectation(); what != "" {
		p.Expectation = "Expected: " + what + ". This is " + how + "."
	}
	p.HarnessError = page.Clean(v.Verdict.HarnessError, 400)
	if q := v.Verdict.Porcupine; q.Result != "" {
		p.Porcupine = fmt.Sprintf("%s says %s over %s of its model in %s", view.Judge(q.Version),
			page.Clean(q.Result, 20),
			units.Count(q.Operations, "operation"), units.Span(q.Took))
	}
}

func newStory(v *view.View, w *view.Violation, n int) (s story, err error) {
	s.ID = fmt.Sprintf("violation-%d", n+1)
	if len(w.Properties) > 0 {
		s.Title = w.Title()
	}
	for i, told := range w.Told {
		if i == len(w.Told)-1 {
			told = strings.TrimSpace(told + " " + w.Further())
		}
		s.Told = append(s.Told, page.Clean(told, 4000))
	}
	s.Steps, s.StepsLeft = sequence.Steps(v, w)
	if len(s.Steps) > 1 {
		s.Sequence, err = sequence.Draw(s.Steps, w, n)
	}
	return s, err
}

func (p *runPage) addFacts(v *view.View) {
	h := v.History.Header
	for k, version := range h.Versions {
		p.Versions = append(p.Versions, [2]string{page.Clean(k, 40), page.Clean(version, 80)})
	}
	slices.SortFunc(p.Versions, func(a, b [2]string) int { return strings.Compare(a[0], b[0]) })
	p.Versions = p.Versions[:min(len(p.Versions), maxRows)]
	add := func(name, value string) {
		if value != "" && value != "0s" && value != "0" {
			p.Facts = append(p.Facts, [2]string{name, page.Clean(value, 200)})
		}
	}
	add("lock", h.Impl)
	add("fault", h.Nemesis)
	if s, ok := tour.Story(v.Planned().Story); ok {
		add("story", strings.TrimSpace(fmt.Sprintf("%s: %s. %s", s.Name, s.EN.Title, v.Cast.Said)))
	}
	add("workload", h.Workload)
	add("environment", h.Environment)
	add("topology", h.Topology)
	p.Facts = append(p.Facts, [2]string{"seed", fmt.Sprint(h.Seed)})
	add("lease (TTL)", view.Lease(h))
	add("poll", h.Poll.D().Round(time.Microsecond).String())
	add("assumed clock drift", fmt.Sprint(h.Drift))
	add("started", h.Started)
	p.Command = page.Clean(h.Command, 2000)
	var b bytes.Buffer
	if json.Indent(&b, v.Plan, "", "  ") == nil && b.Len() > 0 {
		p.Plan = page.Printable(b.String())
		if len(p.Plan) > 200_000 {
			p.Plan = p.Plan[:200_000] + "\n…"
			p.note("the rest of the plan (see plan.json)")
		}
	}
}

var scripts = regexp.MustCompile(`(?s)<script>(.*?)</script>`)

// slice embeds porcupine's page in a frame that may run nothing but porcupine's own scripts.
func (p *runPage) slice(v *view.View) {
	allowed := []string{timeline.JS, page.Unpack}
	var b []byte
	if v.Verdict != nil {
		b, _ = v.Verdict.Visual()
	}
	if len(b) > 600_000 {
		p.note("porcupine's page of the failing slice (too large)")
		b = nil
	}
	for _, m := range scripts.FindAllSubmatch(b, -1) {
		allowed = append(allowed, string(m[1]))
	}
	if b != nil {
		p.Slice = page.Pack(string(b))
	}
	p.CSP = page.PolicyFor(allowed...)
}
