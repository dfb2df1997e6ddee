package harness_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/nemesis"
)

// unpaired says which fault of a history has no end, or not one, or an end without a begin.
func unpaired(h *history.History) (wrong []string) {
	open := map[int]history.Event{}
	for _, e := range h.Events {
		if e.Type != history.Fault {
			continue
		}
		b, begun := open[e.ID]
		switch {
		case e.ID == 0:
			wrong = append(wrong, fmt.Sprintf("%s of %s has no number", e.F, e.Target))
		case e.Phase == history.PhaseFrom && begun:
			wrong = append(wrong, fmt.Sprintf("%s of %s begins twice", e.F, e.Target))
		case e.Phase == history.PhaseFrom && strings.HasSuffix(e.F, "-clock") && e.Offset == nil:
			wrong = append(wrong, fmt.Sprintf("%s of %s has no offset", e.F, e.Target))
		case e.Phase == history.PhaseFrom:
			open[e.ID] = e
		case !begun || b.F != e.F || b.Target != e.Target || b.T > e.T:
			wrong = append(wrong, fmt.Sprintf("%s of %s ends, and what began was %s of %s", e.F, e.Target,
				b.F, b.Target))
		default:
			open[e.ID] = history.Event{F: e.F, Target: e.Target, T: -1}
		}
	}
	for _, e := range open {
		if e.T >= 0 {
			wrong = append(wrong, fmt.Sprintf("%s of %s never ends", e.F, e.Target))
		}
	}
	return wrong
}

// TestEveryFaultHasBeginAndEnd plays every variant of every fault, random ones and a list, and
// looks at the record.
func TestEveryFaultHasBeginAndEnd(t *testing.T) {
	specs := []string{"pause,failover", "partition,clock-client,crash",
		"../../docs/examples/faults/late-release.yaml",
		"../../docs/examples/faults/split-then-stall.json"}
	for _, e := range nemesis.All() {
		for _, v := range append(e.Variants, nemesis.Variant{}) {
			name := strings.NewReplacer("N", "3", "DURATION", "30ms").Replace(v.Name)
			specs = append(specs, strings.TrimSuffix(e.Name+":"+name, ":"))
		}
	}
	for i := range 8 {
		specs = append(specs, fmt.Sprintf("random:%d", 2+i%7))
	}
	for i, spec := range specs {
		for lock, masters := range map[string]int{"setnx-expire": 0, "redlock": 3} {
			w := harness.RunOptions{
				Environment: "sim", Impl: lock, Masters: masters, Nemesis: spec, Seed: uint64(i), Clients: 3,
				TTL: 200 * time.Millisecond, Hold: 40 * time.Millisecond, Poll: 25 * time.Millisecond,
				For: 2 * time.Second,
			}
			p, err := harness.NewPlan(w)
			if err != nil || lock == "redlock" && p.Replicas == 0 && !strings.HasSuffix(spec, "-loss") &&
				i%4 > 0 {
				continue // not for this lock, or not in this environment; five servers take their time
			}
			h, _ := simPlan(t, w)
			if wrong := unpaired(h); len(wrong) > 0 || !h.Complete() {
				t.Errorf("%s under %s, seed %d: %v", lock, spec, i, wrong)
			}
		}
	}
}
