package main

import (
	"fmt"
	"io"

	"github.com/lockbench/lockbench/internal/explore/counterexample"
)

// shownSteps is how much of a counterexample stands on the terminal; the file has all of it.
const shownSteps = 60

func (o outcome) say(w io.Writer, first *counterexample.Counterexample) {
	p := o.Progress
	if o.Covered != nil {
		fmt.Fprintln(w, o.Covered)
	}
	if len(o.Found) == 0 && o.Covered == nil {
		stopped := ""
		if o.Stopped {
			stopped = "stopped early: "
		}
		fmt.Fprintf(w, "%sno violation of %s under %s in %d runs, %d distinct states (%.0f runs/s)\n",
			stopped, o.Impl, o.Nemesis, p.Runs, p.States, o.Rate)
	}
	if p.HarnessErrors > 0 {
		fmt.Fprintf(w, "%d runs broke and are worth nothing\n", p.HarnessErrors)
	}
	for i, x := range o.Found {
		class := ""
		if x.Class != "" {
			class = ": " + x.Class
		}
		fmt.Fprintf(w, "%s under %s violates %s%s\n", o.Impl, o.Nemesis, x.Property, class)
		if i == 0 {
			fmt.Fprintf(w, "%d runs, %.0f a second, %d distinct states; %d more to make it small\n\n",
				p.Runs, o.Rate, p.States, x.Shrunk)
			tell(w, first)
		}
		fmt.Fprintf(w, "%s\n\ncounterexample %s\nreplay         lockbench replay %s\n", x.Explanation, x.File,
			x.File)
	}
}

// tell shows a counterexample. The file has every step.
func tell(w io.Writer, x *counterexample.Counterexample) {
	for _, s := range x.Plan.Scenario {
		fmt.Fprintln(w, "scenario  ", s)
	}
	lines := counterexample.Lines(x.Steps)
	for i, line := range lines {
		if i == shownSteps {
			fmt.Fprintf(w, "… %d more\n", len(lines)-i)
			break
		}
		fmt.Fprintln(w, line)
	}
	fmt.Fprintln(w)
}
