package checker

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/lockbench/lockbench/history"
	"github.com/lockbench/lockbench/nemesis"
)

// StillOpen is how the reason begins for which the harness ends a fault that lasts until the end of
// the run. It is the only reason in the end of a fault that is not a failure of the harness.
const StillOpen = "still open"

// trust says how far a record can be trusted.
type trust struct {
	// what is stamped here or later does not count: something went wrong that nobody planned
	cut         int64
	broke       string // what it was, or why the run broke; "" if nothing
	interrupted bool
	stalls      []stall // unplanned, longer than a quarter of the TTL
}

// stall is a time during which a process did not run.
type stall struct {
	process  int
	from, to int64
}

// trustOf finds out how far a record can be trusted: up to the first exit that nobody planned and
// the first fault that could not be done. A worker that the harness killed exits as planned,
// whoever notices.
func trustOf(h *history.History) trust {
	t := trust{cut: forever, broke: h.HarnessError(), interrupted: !h.Complete()}
	killed := map[int]bool{}
	for i := range h.Events {
		e := &h.Events[i]
		killed[e.Process] = killed[e.Process] || e.Type == history.Kill
		if why := failure(e, killed[e.Process]); why != "" {
			t.cut, t.broke = e.T, why
			break
		}
	}
	t.stalls = stalls(h)
	return t
}

func failure(e *history.Event, killed bool) string {
	switch {
	case e.Type == history.Exit && !e.Planned && !killed:
		return fmt.Sprintf("client %d ended at %s although nobody planned it%s", e.Process, at(e.T),
			suffix(e.Err))
	case e.Type == history.Fault && e.Err != "" && !strings.HasPrefix(e.Err, StillOpen):
		return fmt.Sprintf("the fault %s of %s failed at %s%s", e.F, e.Target, at(e.T), suffix(e.Err))
	}
	return ""
}

func suffix(err string) string {
	if err == "" {
		return ""
	}
	return ": " + err
}

// stalls returns the gaps that the nemesis did not make and that are long enough to matter.
func stalls(h *history.History) []stall {
	limit := int64(h.Header.TTL) / 4
	if limit <= 0 {
		return nil
	}
	var out []stall
	pauses := clientFaults(h)
	for i := range h.Events {
		e := &h.Events[i]
		s := stall{e.Process, e.T - int64(e.Gap), e.T}
		if e.Type != history.Gap || int64(e.Gap) <= limit || planned(s, pauses) {
			continue
		}
		out = append(out, s)
	}
	return out
}

// clientFaults returns the times in which the nemesis had its hands on a client, as a stall of it.
func clientFaults(h *history.History) []stall {
	var out []stall
	for _, f := range faults(h) {
		if n, ok := clientOf(f.target); ok {
			out = append(out, stall{n, f.from, f.to})
		}
	}
	return out
}

func planned(s stall, pauses []stall) bool {
	return slices.ContainsFunc(pauses, func(p stall) bool {
		return p.process == s.process && p.from <= s.to && s.from <= p.to
	})
}

// within returns the longest unplanned stall that touches a time, or nil.
func (t *trust) within(from, to int64) *stall {
	var worst *stall
	for i := range t.stalls {
		s := &t.stalls[i]
		if s.from < to && from < s.to && (worst == nil || s.to-s.from > worst.to-worst.from) {
			worst = s
		}
	}
	return worst
}

// String is "the machine stalled for 640 ms at 1.310 s".
func (s *stall) String() string {
	who := "the harness"
	if s.process >= 0 {
		who = fmt.Sprintf("client %d", s.process)
	}
	return fmt.Sprintf(
		"the machine stalled for %d ms until %s (%s did not run, and no fault asked for it)",
		(s.to-s.from)/int64(time.Millisecond), at(s.to), who)
}

// fault is one action of the nemesis.
type fault struct {
	id       int
	f        string
	target   string
	from, to int64 // begin; end, or forever
	strike   bool
	lasting  bool // still in effect when the run ended
}

// words tells the begin and the end of a fault; an end of "" is not worth telling.
func (f *fault) words() (begin, end string) { return nemesis.Tell(f.f, f.target) }

// about is the target, or what stands for it in a fault that has none.
func (f *fault) about() string { return cmp.Or(f.target, f.f) }

// faults returns the actions of the nemesis in the order in which they began. An end without a
// begin is ignored.
func faults(h *history.History) []fault {
	var out []fault
	open := map[int]int{}
	for i := range h.Events {
		e := &h.Events[i]
		if e.Type != history.Fault {
			continue
		}
		if e.Phase == history.PhaseFrom {
			open[e.ID] = len(out)
			out = append(out, fault{e.ID, e.F, e.Target, e.T, forever, e.Aimed, true})
			continue
		}
		if j, ok := open[e.ID]; ok {
			out[j].to, out[j].lasting = e.T, strings.HasPrefix(e.Err, StillOpen)
			delete(open, e.ID)
		}
	}
	return out
}

// clientOf returns the number of the client that a target names: "c3", or "client 3". A link,
// "c3>n0", is no client.
func clientOf(target string) (int, bool) {
	rest, ok := strings.CutPrefix(target, "client")
	if !ok {
		rest, ok = strings.CutPrefix(target, "c")
	}
	if !ok {
		return 0, false
	}
	n, err := strconv.Atoi(strings.TrimLeft(rest, " :"))
	return n, err == nil
}

// at writes a stamp for people: "1.204 s".
func at(t int64) string { return fmt.Sprintf("%.3f s", float64(t)/float64(time.Second)) }
