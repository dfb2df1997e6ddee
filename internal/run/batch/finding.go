// Package batch has the parts that the matrix, the gate and the comparison share: the kept part of
// a run's verdict, the cost of a run, the pool that carries runs out, and shards and their merging.
package batch

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/history"
)

// Runner carries out one plan in an environment of its own, saves the run in the new directory dir,
// and judges it. Several goroutines may call it. The error explains a missing verdict, or a verdict
// that is worth less than planned.
type Runner func(ctx context.Context, p harness.Plan, dir string) (*checker.Verdict, error)

// Properties lists the properties of the matrix in their usual order.
var Properties = history.MatrixProperties()

// Finding is the part of a verdict that a batch keeps.
type Finding struct {
	Verdict    checker.Result            `json:"verdict"`
	Properties map[string]checker.Result `json:"properties"`
	Reported   []string                  `json:"reported,omitempty"` // of them: these decide nothing
	// of the properties that were violated
	Classes      map[string]string `json:"classes,omitempty"`
	Explanations map[string]string `json:"explanations,omitempty"` // the counterexamples
	// why a property is unknown or n.a.
	Reasons      map[string]string `json:"reasons,omitempty"`
	HarnessError string            `json:"harness_error,omitempty"` // the reason of a missing verdict
	// whether the machine was too slow
	Stalled bool `json:"stalled,omitempty"`
}

// Disturbed reports whether the machine, and not the fault under test, may have caused the result.
// The machine may have stopped for so long that clients gave up on an answer under way. It may also
// have stopped for so long that steps of the scenario, a tenth of a lease or more apart, coincided.
// Half of such a time is enough: the stall is only one part of a delay, and only late answers
// reveal a stalled server or proxy.
func Disturbed(p harness.Plan, v *checker.Verdict) bool {
	bears := min(p.ClientTimeout.D(), p.TTL.D()/8)
	if p.NodeTimeout > 0 {
		bears = min(bears, p.NodeTimeout.D())
	}
	return v != nil && (v.Evidence.TimedOut > 0 ||
		2*time.Duration(v.Evidence.LongestGapMS)*time.Millisecond > bears)
}

// NewFinding reads a verdict. err explains a missing verdict, or one that is worth less than
// planned.
func NewFinding(v *checker.Verdict, err error) Finding {
	f := Finding{
		Verdict:    checker.Unknown,
		Properties: map[string]checker.Result{}, Classes: map[string]string{},
		Explanations: map[string]string{},
		Reasons:      map[string]string{},
	}
	if err != nil {
		f.HarnessError = err.Error()
	}
	if v == nil {
		return f
	}
	f.Verdict = cmp.Or(v.Verdict, f.Verdict)
	f.HarnessError = cmp.Or(f.HarnessError, v.HarnessError)
	for _, p := range v.Properties {
		f.note(p)
	}
	f.Stalled = f.Stalled || v.Evidence.Gaps > 0 && f.Verdict == checker.Unknown
	return f
}

func (f *Finding) note(p checker.Property) {
	p.Verdict = cmp.Or(p.Verdict, checker.Unknown) // checker's zero value
	f.Properties[p.Property] = p.Verdict
	if p.Reported {
		f.Reported = append(f.Reported, p.Property)
	}
	if p.Verdict == checker.Violated {
		f.Classes[p.Property] = p.Class
		f.Explanations[p.Property] = units.ShortOwners(p.Explanation)
		return
	}
	if p.Reason != "" {
		f.Reasons[p.Property] = p.Reason
	}
	f.Stalled = f.Stalled || p.Stalled
}

// Violated returns the violated properties of the matrix.
func (f Finding) Violated() (out []string) {
	for _, l := range Properties {
		if f.Properties[l] == checker.Violated {
			out = append(out, l)
		}
	}
	return out
}

// ViolatedAll returns all deciding properties that the run violated, even outside of the matrix.
func (f Finding) ViolatedAll() (out []string) {
	for l, r := range f.Properties {
		if r == checker.Violated && !slices.Contains(f.Reported, l) {
			out = append(out, l)
		}
	}
	slices.SortFunc(out, ByProperty)
	return out
}

// Worst returns all deciding properties that the run violated, the worst first.
func (f Finding) Worst() []string {
	out := f.ViolatedAll()
	slices.SortStableFunc(out, func(a, b string) int {
		return cmp.Compare(checker.Rank(a, f.Classes[a], false), checker.Rank(b, f.Classes[b], false))
	})
	return out
}

// Found describes the result of a run in a word or two.
func (f Finding) Found() string {
	if v := f.ViolatedAll(); len(v) > 0 {
		return "violates " + strings.Join(v, ",")
	}
	return f.Verdict.String()
}

// ByProperty compares properties by their usual order, with the properties of the matrix first.
func ByProperty(a, b string) int {
	place := func(l string) int {
		if i := slices.Index(Properties, l); i >= 0 {
			return i
		}
		return len(Properties)
	}
	return cmp.Or(place(a)-place(b), strings.Compare(a, b))
}

// InOrder returns the properties in their usual order, each once.
func InOrder(properties []string) (out []string) {
	for _, l := range Properties {
		if slices.Contains(properties, l) {
			out = append(out, l)
		}
	}
	return out
}
