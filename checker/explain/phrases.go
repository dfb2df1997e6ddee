package explain

import (
	"strings"
	"time"

	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/internal/history"
)

// Stamp writes a stamp for people: "1.204 s".
func Stamp(t int64) string { return Say("%.3f s", float64(t)/float64(time.Second)) }

// Moment writes a stamp of a history for people, or the operation if the history has no times.
func Moment(h *history.Header, t int64) string {
	if h.Untimed {
		return Say("operation %d", t/int64(time.Millisecond))
	}
	return Stamp(t)
}

// leaseEnd formats the end of a lease as At does. It also covers a lease without an end.
func leaseEnd(t int64) string {
	if t == record.Forever {
		return Say("it is released")
	}
	return Stamp(t)
}

// Brief writes a length of time for people: "1.24 s", "178 ms", "3.2 ms", "340 µs", "5 ns".
func Brief(ns int64) string {
	d := float64(ns)
	switch {
	case ns >= int64(time.Second):
		return Say("%.2f s", d/1e9)
	case ns >= int64(10*time.Millisecond):
		return Say("%.0f ms", d/1e6)
	case ns >= int64(time.Millisecond):
		return Say("%.1f ms", d/1e6)
	case ns >= int64(time.Microsecond):
		return Say("%.0f µs", d/1e3)
	}
	return Say("%d ns", ns)
}

func plural(n int, what string) string {
	if n == 1 {
		return Say("1 " + what)
	}
	return Say("%d "+what+"s", n)
}

// commandText returns a command in the words of a story.
func commandText(h history.Header, m *history.Command) string {
	return strings.Join(h.Readable(m.Args), " ")
}

func by(h *record.Hold) string {
	if h.Node == "" {
		return ""
	}
	return Say(" by %s", h.Node)
}

// assumed returns the text after a class: "; a fault broke an assumption of the lock: durability".
func assumed(what string) string {
	if what == "" {
		return ""
	}
	return Say("; a fault broke an assumption of the lock: ") + what
}

// Stall returns "the machine stalled for 640 ms until 1.310 s (client 2 did not run, ...)", or the
// words for a server.
func Stall(s record.Gap) string {
	if s.NoLeader {
		return Say("%s was not healthy for %d ms until %s: it had no leader, or was slow to ask it",
			s.Node, s.Length()/int64(time.Millisecond), Stamp(s.To))
	}
	if s.Node != "" {
		return Say("%s did not answer for %d ms until %s, and no fault asked for it", s.Node,
			s.Length()/int64(time.Millisecond), Stamp(s.To))
	}
	who := Say("the harness")
	if s.Process >= 0 {
		who = Say("client %d", s.Process)
	}
	return Say("the machine stalled for %d ms until %s (%s did not run, and no fault asked for it)",
		s.Length()/int64(time.Millisecond), Stamp(s.To), who)
}

// Slow describes a slow action of the harness.
func Slow(s record.Slow) string {
	return Say("the harness needed %d ms for the step %s until %s, and the holder stood for as long",
		(s.To-s.From)/int64(time.Millisecond), strings.TrimSpace(s.Action+" "+s.Target), Stamp(s.To))
}

// Suspended says why no one knows when a client learned that its validity was over: its machine was
// suspended, and a clock may have stood.
func Suspended(process int) string {
	return Say("the machine of client %d was suspended, and the record does not say by which clock "+
		"the client tells when its validity ends", process)
}

// Outstayed says that the scenario kept a client inside.
func Outstayed(process int) string {
	return Say("the scenario kept client %d inside until its lease was over, and the lock renews "+
		"none: that is not the lock's doing. Try the fault without \":stay\"", process)
}

// MayBeOver says why two holds prove nothing: no one knows when the lease of the first began.
func MayBeOver(process int) string {
	return Say("client %d's lease may have been over: nothing says when the lease began", process)
}

// Failure describes the failure of a run.
func Failure(f *record.Failure) string {
	said := ""
	if f.Err != "" {
		said = ": " + f.Err
	}
	switch f.Kind {
	case record.UnplannedExit:
		return Say("client %d ended at %s although that was not planned%s", f.Process, Stamp(f.T), said)
	case record.SelfEnded:
		return Say("the lock ended its process: client %d, by the signal %q at %s", f.Process, f.Signal,
			Stamp(f.T))
	case record.FaultFailed:
		return Say("the fault %s of %s failed at %s%s", f.Action, f.Target, Stamp(f.T), said)
	}
	return f.Err
}
