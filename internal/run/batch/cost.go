package batch

import (
	"slices"
	"time"

	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/internal/history"
)

// Cost is the cost of a lock in one run or several. A zero field means that nothing of the kind was
// seen.
type Cost struct {
	Grants int `json:"grants"`
	// acquires that ended without a grant, and that the harness did not call off, as it does at the
	// end of a run; nil if no one counted them
	Ungranted *int `json:"ungranted,omitempty"`
	// of the acquires that were granted, from call to return
	AcquireP50 history.Duration `json:"acquire_p50"`
	AcquireP99 history.Duration `json:"acquire_p99"` //
	// grants per second, from the first event to the last
	Throughput float64 `json:"throughput"`
	// Redis commands of all clients for each grant: the price of a hand-over
	Commands float64 `json:"commands"`
	// longest time from an aimed fault to the next grant
	Recovery history.Duration `json:"recovery,omitempty"`
}

// Sample is the contribution of one run to a cost. Samples of several runs can be joined.
type Sample struct {
	latencies []time.Duration // of granted acquires
	ungranted int             // acquires that ended otherwise: those have no latency
	took      time.Duration
	commands  int
	recovery  time.Duration
}

// Measure reads the cost of a run from its record. Without a trace it counts no commands.
func Measure(h *history.History, trace []history.Command) Sample {
	s := Sample{commands: len(trace)}
	calls, faults := map[int]int64{}, []int64(nil)
	var first, last int64
	for i, e := range h.Events {
		if i == 0 {
			first = e.T
		}
		last = max(last, e.T)
		switch {
		case e.Type == history.Fault && e.Phase == history.PhaseFrom && e.Aimed:
			faults = append(faults, e.T)
		case e.Type == history.Invoke && e.F == history.Acquire:
			calls[e.Process] = e.T
		case e.Type == history.OK && e.F == history.Acquire && e.Depth == 0:
			if call, ok := calls[e.Process]; ok {
				s.latencies = append(s.latencies, time.Duration(e.T-call))
			}
			s.recover(&faults, e.T)
		case (e.Type == history.Fail || e.Type == history.Info) && e.F == history.Acquire &&
			e.Depth == 0 && e.Why != history.CalledOff:
			s.ungranted++
		}
	}
	s.took = time.Duration(last - first)
	return s
}

// recover ends the wait since each fault after which no client has been granted the lock yet.
func (s *Sample) recover(faults *[]int64, t int64) {
	for _, at := range *faults {
		s.recovery = max(s.recovery, time.Duration(t-at))
	}
	*faults = nil
}

// Join returns the common cost of several runs.
func Join(samples ...Sample) Cost {
	var all Sample
	for _, s := range samples {
		all.latencies = append(all.latencies, s.latencies...)
		all.ungranted += s.ungranted
		all.took += s.took
		all.commands += s.commands
		all.recovery = max(all.recovery, s.recovery)
	}
	c := Cost{Grants: len(all.latencies), Recovery: history.Duration(all.recovery)}
	if c.Grants+all.ungranted > 0 {
		c.Ungranted = new(all.ungranted)
	}
	if c.Grants == 0 {
		return c
	}
	slices.Sort(all.latencies)
	c.AcquireP50, c.AcquireP99 = history.Duration(units.Quantile(all.latencies, 0.5)),
		history.Duration(units.Quantile(all.latencies, 0.99))
	c.Commands = float64(all.commands) / float64(c.Grants)
	if all.took > 0 {
		c.Throughput = float64(c.Grants) / all.took.Seconds()
	}
	return c
}
