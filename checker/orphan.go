package checker

import (
	"fmt"
	"strconv"

	"github.com/lockbench/lockbench/history"
)

// orphan judges that no key stays set that nobody holds: a client was told that the lock is taken while no client was inside and none had an
// acquire or release call open that may account for it. It rests on the trace, ends at the first planned crash, and looks at one server.
func (c *check) orphan() Property {
	switch {
	case len(c.trace) == 0:
		return Property{Because: "there is no trace of Redis commands, which alone shows whether a key is set"}
	case c.history.Header.Topology == "independent":
		return Property{Verdict: NA, Because: "one of several independent servers may keep a key that has no majority"}
	}
	grants := c.grants()
	until := c.firstCrash()
	seen := false
	for i := range c.trace {
		m := &c.trace[i]
		key, known := grants.keys[keyOfCommand(m)]
		if !known || !denied(m) || m.Recv >= until {
			continue
		}
		seen = true
		if !c.accounted(m, key) {
			p := Property{Verdict: Violated, Witness: &Witness{Key: key, Commands: []WitnessCommand{{*m, "is denied although nobody is inside"}}}}
			p.Words = fmt.Sprintf("At %s client %d was told that lock %d is taken (%q, reply %q), but no client was inside and none was acquiring or releasing it: the key was left behind.",
				at(m.Sent), m.Process, key, m.String(), m.Reply)
			return p
		}
	}
	if !seen {
		return Property{Verdict: NA, Because: "no client was ever denied the lock"}
	}
	return Property{Verdict: Valid}
}

func (c *check) firstCrash() int64 {
	t := c.trust.cut
	for i := range c.history.Events {
		if e := &c.history.Events[i]; e.Type == history.Kill || e.Type == history.Exit {
			t = min(t, e.T)
		}
	}
	return t
}

// denied reports whether a command tried to take a lock and was told that it is taken.
func denied(m *history.Command) bool {
	if m.Recv == 0 || m.Err != "" {
		return false
	}
	switch verb(m) {
	case "SETNX":
		return m.Reply == "0" || m.Reply == "false"
	case "SET":
		return m.Reply == "(nil)" || m.Reply == ""
	case "EVAL", "EVALSHA":
		left, _ := strconv.Atoi(m.Reply) // of the holder's time to live; 0 for what is no number
		return left > 1
	}
	return false
}

// accounted reports whether somebody was inside, coming or leaving, at some time while the command was under way.
func (c *check) accounted(m *history.Command, key int) bool {
	for i := range c.record.holds {
		if h := &c.record.holds[i]; h.key == key && h.call <= m.Recv && m.Sent <= c.left(h) {
			return true
		}
	}
	for _, k := range c.record.calls {
		unsure := k.outcome != history.OK && k.outcome != history.Fail
		if unsure && k.process != m.Process && k.from <= m.Recv && m.Sent <= k.to {
			return true
		}
	}
	return false
}
