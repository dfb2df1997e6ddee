package simrun

import (
	"fmt"

	"github.com/lockbench/lockbench/internal/env/sim"
	"github.com/lockbench/lockbench/internal/search/explore/counterexample"
	"github.com/lockbench/lockbench/workloads"
)

// Anywhere is the command of a breakpoint that no client comes to: the chooser of a run says when
// it is reached. So a fault is injected at any place.
const Anywhere = "^anywhere$"

// Injection is a fault that waits for the chooser. It is armed when the scenario comes to the
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

// Armed reports whether the fault can be injected now.
func (f *Injection) Armed() bool { return f.armed }

// Inject lets the fault happen now, and reports whether it was armed. It is to be called from
// Picker.Pick, which returns sim.Again then.
func (f *Injection) Inject() bool {
	if !f.armed {
		return false
	}
	f.armed = false
	f.environment.Tell(workloads.Report{Process: f.client, Breakpoint: &workloads.BreakpointHit{
		ID: f.stop, T: f.environment.Now()}})
	return true
}

// Questions gives names to the questions of a Picked schedule: by the message that would arrive
// next by itself, and, from the second time that it is asked, by how often it has been: "next
// c0>n0.12", "next c0>n0.12 ~2". So most names stay when another deviation is taken away.
type Questions struct{ asked map[string]int }

// Name is the name of the question which of the options happens next.
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

// recordedOrder does a Picked schedule again: it goes on with the client that acted last, except
// where a deviation says otherwise.
type recordedOrder struct {
	sim.Recorded
	Questions
	Injection
}

// CanInject is sim.Injector.
func (p *recordedOrder) CanInject() bool { return p.Armed() }

// Pick is sim.Picker.
func (p *recordedOrder) Pick(_ *sim.Environment, options []sim.Option) int {
	name := p.Name(options)
	if p.Recorded[counterexample.InjectBefore+name] > 0 && p.Inject() {
		return sim.Again
	}
	return min(p.Recorded[name], len(options)-1)
}
