package gate

import (
	"fmt"
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

// calls are those that have an end, in the order of their ends.
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

// outcomes are what the lock says to its client: how calls end, of a release also by which reply of
// Redis, and whether an acquire gives up long before the client would.
func outcomes(r *store.Run) (forms []string) {
	all := calls(r.History)
	apart := background(r.Trace, all)
	for i, c := range all {
		f := strings.TrimSpace(fmt.Sprintf("%s: %s %s", c.f, c.end.Type, c.end.Why))
		forms = append(forms, f)
		if told := lastReply(r.Trace, c, apart); c.f == history.Release && told != "" {
			forms = append(forms, f+", told "+told)
		}
		if early(c, all[i+1:], int64(r.History.Header.AcquireTimeout)) {
			forms = append(forms, f+" early")
		}
	}
	return forms
}

// background are the forms of commands that are sent between calls, as a watchdog does: such a
// command may also come within a call, and says nothing of it.
func background(trace []history.Command, all []call) map[string]bool {
	out := map[string]bool{}
	for _, m := range trace {
		if len(m.Args) > 0 && !within(m, all) {
			out[form(m.Args)] = true
		}
	}
	return out
}

// within reports whether a command was sent in a call.
func within(m history.Command, all []call) bool {
	for _, c := range all {
		if c.process == m.Process && c.from <= m.Sent && m.Sent <= c.end.T {
			return true
		}
	}
	return false
}

// lastReply is the last word of Redis to a call; "" if it is not known.
func lastReply(trace []history.Command, c call, apart map[string]bool) (told string) {
	for _, m := range trace {
		if m.Process != c.process || m.Sent < c.from || m.Sent > c.end.T || len(m.Args) == 0 ||
			apart[form(m.Args)] {
			continue
		}
		if told = ""; m.Recv != 0 && m.Err == "" {
			told = word(m.Reply, "")
		}
	}
	return told
}

// early reports whether an acquire gave up before half of its time was over. A client that is told
// to stop gives up, too, and asks no more.
func early(c call, later []call, limit int64) bool {
	if c.f != history.Acquire || c.end.Why != history.GaveUp || c.end.T-c.from >= limit/2 {
		return false
	}
	for _, l := range later {
		if l.process == c.process && l.f == history.Acquire {
			return true
		}
	}
	return false
}
