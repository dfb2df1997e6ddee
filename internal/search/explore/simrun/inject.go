package simrun

import (
	"fmt"

	"github.com/lockbench/lockbench/internal/env/sim"
	"github.com/lockbench/lockbench/internal/search/explore/counterexample"
	"github.com/lockbench/lockbench/workloads"
)

// Anywhere is the command of a breakpoint that no client reaches. The chooser of a run decides when
// it is reached, so that a fault can be injected at any place.
const Anywhere = "^anywhere$"

// Injection is a fault that the chooser injects. It is armed when the scenario reaches the
// breakpoint Anywhere. Its zero value is ready for a Job.
type Injection struct {
	environment  *sim.Environment
	client, stop int
	armed        bool
}

func (f *Injection) arm(client, stop int) {
	if f != nil {
		f.client, f.stop, f.armed = client, stop, true
	}
}

// CanInject reports whether the fault can be injected now. It implements sim.Injector.
func (f *Injection) CanInject() bool { return f.armed }

// Inject injects the fault now and reports whether it was armed. Call it from Picker.Pick, which
// must then return sim.Again.
func (f *Injection) Inject() bool {
	if !f.armed {
		return false
	}
	f.armed = false
	f.environment.Tell(workloads.Report{Process: f.client, Breakpoint: &workloads.BreakpointHit{
		ID: f.stop, T: f.environment.Now()}})
	return true
}

// Questions names the questions of a Picked schedule after the message that would arrive next by
// default. From the second time on, a counter is appended: "next c0>n0.12", "next c0>n0.12 ~2". As
// a result most names stay the same when another deviation is removed.
type Questions struct{ asked map[string]int }

// Name returns the name of the question which of the options happens next.
func (q *Questions) Name(options []sim.Option) string {
	if q.asked == nil {
		q.asked = map[string]int{}
	}
	name := "next " + options[0].Name
	q.asked[name]++
	if times := q.asked[name]; times > 1 {
		return fmt.Sprintf("%s ~%d", name, times)
	}
	return name
}

// recordedOrder repeats a Picked schedule. It continues with the client that acted last unless a
// deviation says otherwise.
type recordedOrder struct {
	sim.Recorded
	Questions
	Injection
}

// Pick implements sim.Picker.
func (p *recordedOrder) Pick(_ *sim.Environment, options []sim.Option) int {
	name := p.Name(options)
	if p.Recorded[counterexample.InjectBefore+name] > 0 && p.Inject() {
		return sim.Again
	}
	return min(p.Recorded[name], len(options)-1)
}
