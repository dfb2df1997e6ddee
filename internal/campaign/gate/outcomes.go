package gate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/run/store"
)

// call is one operation of a client.
type call struct {
	process int
	f       string
	from    int64
	end     history.Event
}

// has reports whether a command was sent during the call.
func (c call) has(m history.Command) bool {
	return c.process == m.Process && c.from <= m.Sent && m.Sent <= c.end.T
}

// calls returns the calls that ended, in the order of their ends.
func calls(h *history.History) (all []call) {
	open := map[int]history.Event{}
	for _, e := range h.Events {
		switch {
		case e.F == "" || e.Type == history.Fault:
		case e.Type == history.Invoke:
			open[e.Process] = e
		default:
			all = append(all, call{e.Process, e.F, open[e.Process].T, e})
		}
	}
	return all
}

// outcomes returns what the lock reports to its client: how calls end, the reply of Redis that
// ended a release, and whether an acquire gives up long before its timeout.
func outcomes(r *store.Run) (forms []string) {
	all := calls(r.History)
	apart := background(r.Trace, all)
	for i, c := range all {
		f := strings.TrimSpace(fmt.Sprintf("%s: %s %s", c.f, c.end.Type, c.end.Why))
		forms = append(forms, f)
		if told := lastReply(r.Trace, c, apart); c.f == history.Release && told != "" {
			forms = append(forms, f+", told "+told)
		}
		if endsEarly(c, all[i+1:], int64(r.History.Header.AcquireTimeout)) {
			forms = append(forms, f+" early")
		}
	}
	return forms
}

// background returns the forms of commands that are sent between calls, for example by a watchdog.
// Such a command may also occur during a call without being part of it.
func background(trace []history.Command, all []call) map[string]bool {
	out := map[string]bool{}
	for _, m := range trace {
		if len(m.Args) > 0 && !slices.ContainsFunc(all, func(c call) bool { return c.has(m) }) {
			out[form(m.Args)] = true
		}
	}
	return out
}

// lastReply returns the last reply of Redis during a call, or "" if it is unknown.
func lastReply(trace []history.Command, c call, apart map[string]bool) (told string) {
	for _, m := range trace {
		if !c.has(m) || len(m.Args) == 0 || apart[form(m.Args)] {
			continue
		}
		if told = ""; m.Recv != 0 && m.Err == "" {
			told = word(m.Reply, "")
		}
	}
	return told
}

// endsEarly reports whether an acquire gave up before half of its timeout. It ignores the last
// acquire of a client, which also gives up when the client is told to stop.
func endsEarly(c call, later []call, limit int64) bool {
	return c.f == history.Acquire && c.end.Why == history.GaveUp && c.end.T-c.from < limit/2 &&
		slices.ContainsFunc(later, func(l call) bool {
			return l.process == c.process && l.f == history.Acquire
		})
}
