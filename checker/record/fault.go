package record

import (
	"slices"
	"strconv"
	"strings"

	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/nemesis"
)

// Fault is one action of the nemesis, from its begin to its end.
type Fault struct {
	ID      int
	Action  string // field f of its events: "kill", "cut", ...
	Mode    string // nemesis.Requests or Replies if it hit only these; old records do not say
	Target  string // a node, a client or a link: "n0", "c2", "c2>n0"
	From    int64  // it began
	To      int64  // it was healed, or was over by itself; Forever if the record does not say
	Aimed   bool   // the plan wants it inside a contended hold
	Lasting bool   // in effect until the run ended: to is when the harness took it back then
	By      *int   // the client whose breakpoint triggered it
	Err     string // why it could not be done
	// of a clock: by how much it was wrong from then on; nil if the record does not tell
	Clock *history.Duration
	Rate  float64 // of a clock, in seconds for each second
}

// fault takes a begin or an end. An end without a begin is ignored.
func (c *Collector) fault(e *history.Event) {
	if e.Err != "" {
		c.Trust.fault(e)
	}
	if e.Phase == history.PhaseFrom {
		c.begun[e.ID] = len(c.Faults)
		c.Faults = append(c.Faults, Fault{ID: e.ID, Action: e.F, Mode: e.Mode, Target: e.Target,
			From: e.T, To: Forever, Aimed: e.Aimed, Lasting: true, By: e.By,
			Clock: e.Offset, Rate: e.Rate})
		return
	}
	if i, ok := c.begun[e.ID]; ok {
		f := &c.Faults[i]
		f.To, f.Lasting, f.Err = e.T, e.Lasted, e.Err
		delete(c.begun, e.ID)
	}
}

// Tell describes the beginning and the end of the fault as nemesis.Tell does, with its mode.
func (f *Fault) Tell() (begin, end string) {
	begin, end = nemesis.Tell(f.Action, f.Target)
	if f.Mode != "" {
		begin += " (" + f.Mode + " only)"
	}
	return begin, end
}

// Client returns the number of the client that the fault hits, and whether it hits one.
func (f *Fault) Client() (int, bool) { return ClientOf(f.Target) }

// hitsServers reports whether the fault may keep a server from its work.
func (f *Fault) hitsServers() bool {
	_, client := f.Client()
	return !client
}

// Hits reports whether the fault hits this client.
func (f *Fault) Hits(process int) bool {
	n, ok := f.Client()
	return ok && n == process
}

// ClientOf returns the number of the client that a target names: "c3", or "client 3". It returns
// false for a link, "c3>n0".
func ClientOf(target string) (int, bool) {
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

// Breaks returns the assumption of a lock that the fault breaks, from its row in the table of
// actions. If the action has no row, as in an imported history, its name decides.
func (f *Fault) Breaks() nemesis.Assumption {
	if a, known := nemesis.ActionOf(f.Action); known && a.Breaks != nemesis.Nothing {
		return a.Breaks
	}
	_, client := f.Client()
	word := func(words ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(f.Action, w) })
	}
	switch {
	case word("clock", "skew", "jump") && client:
		return nemesis.ClientClocks
	case word("clock", "skew", "jump"):
		return nemesis.ServerClocks
	case client || strings.Contains(f.Target, ">"):
		return nemesis.Nothing
	case word("promote", "failover", "restart", "start", "kill", "crash", "flush", "truncate", "wipe"):
		return nemesis.Durability
	}
	return nemesis.Nothing
}

// Forgets reports whether a server may have lost a key by the fault, or ended its lease early.
func (f *Fault) Forgets() bool { return f.Breaks() >= nemesis.ServerClocks }

// Unbearable reports whether the fault breaks what every lock on a single Redis relies on: clocks,
// and the memory of its server. A lock can bear the others.
func (f *Fault) Unbearable() bool { return f.Breaks() >= nemesis.ClientClocks }

// OfClient reports whether the fault hit only clients: it paused or killed them, or moved their
// clocks. Such a fault neither loses a write nor brings one back.
func (f *Fault) OfClient() bool {
	_, client := f.Client()
	breaks := f.Breaks()
	return breaks == nemesis.ClientClocks ||
		client && breaks != nemesis.Delivery && f.Action != nemesis.Redirect
}

// MovesClock reports whether the fault moved a clock, which stays moved when the action is over.
func (f *Fault) MovesClock() bool {
	a := f.Breaks()
	return a == nemesis.ClientClocks || a == nemesis.ServerClocks
}

// PutsRight reports whether the fault set a clock that was wrong to the right time.
func (f *Fault) PutsRight() bool {
	return f.Clock != nil && *f.Clock == 0 && f.Rate == 0 && f.Action != nemesis.StopClock
}

// Skews reports whether the fault moved a clock that may have been wrong after a stamp. If the
// record does not tell the offset, the clock may never have been put right.
func (f *Fault) Skews(t int64) bool {
	return f.MovesClock() && (f.Clock == nil || f.To > t && !f.PutsRight())
}

// Promotes reports whether the fault made its target a master.
func (f *Fault) Promotes() bool {
	return f.Action == nemesis.Promote || f.Action == nemesis.Lead ||
		strings.Contains(f.Action, "failover")
}

// Pauses reports whether the fault stopped its target for a time.
func (f *Fault) Pauses() bool {
	return f.Action == nemesis.Pause || f.Action == nemesis.Suspend
}

// Delays reports whether the fault was in force on the way of a command, on its client, the link or
// the server, and can have kept it or its reply: clocks and orders to clients cannot. What hits the
// next command of a client breaks its connection, and is over when it begins. A call that is given
// up gives up the commands that it sends afterwards, too.
func (f *Fault) Delays(m *history.Command) bool {
	switch f.Action {
	case nemesis.Drop, nemesis.Strand:
		return f.From <= m.Sent && m.Why.Broke() && f.TouchesWay(m)
	case nemesis.Duplicate:
		return false
	}
	until := m.Recv
	if until == 0 {
		until = Forever
	}
	orders := []string{nemesis.Redirect, nemesis.Promote, nemesis.Lead, nemesis.SwitchOver,
		nemesis.MoveSlot}
	lasts := m.Sent <= f.To || f.Action == nemesis.Cancel && m.Why == history.Canceled
	return !f.MovesClock() && !slices.Contains(orders, f.Action) && f.From <= until && lasts &&
		f.TouchesWay(m)
}

// MayKeepAway reports whether the fault can have kept a command from its server until a stamp. A
// fault whose record has no mode may have hit requests.
func (f *Fault) MayKeepAway(m *history.Command, until int64) bool {
	if f.Mode == nemesis.Replies || !f.Delays(m) {
		return false
	}
	a, _ := nemesis.ActionOf(f.Action)
	delivered := f.Action == nemesis.Strand || a.Family == nemesis.Lateness && f.To < until
	return a.Breaks == nemesis.Delivery && !delivered
}

// TouchesWay reports whether a command passes the target: "c2", "n0", "c2>n0", "c2+>*", "*>n0".
func (f *Fault) TouchesWay(m *history.Command) bool {
	from, to, link := strings.Cut(f.Target, ">")
	n, client := ClientOf(strings.TrimSuffix(from, "+"))
	mine := from == "*" || client && n == m.Process
	if !link {
		return mine || from == m.Node
	}
	return mine && (to == "*" || to == m.Node)
}

// Disconnects reports whether the fault closed the connections of a client to servers.
func (f *Fault) Disconnects(process int) bool {
	from, _, link := strings.Cut(f.Target, ">")
	n, client := ClientOf(from)
	return link && (from == "*" || client && n == process) &&
		(f.Action == nemesis.Refuse || f.Action == nemesis.Reset)
}

// StrikesLinksOf reports whether the fault struck the links of this client, and of no other, to all
// servers, or with anyServer to one of them.
func (f *Fault) StrikesLinksOf(process int, anyServer bool) bool {
	from, to, link := strings.Cut(f.Target, ">")
	n, client := ClientOf(strings.TrimSuffix(from, "+"))
	return link && client && n == process && (to == "*" || anyServer)
}

// Servers returns the servers that the target names: n0 of "n0" and "c2+>n0", n0 and n1 of "n0>n1",
// n0 of "b>*n0*".
func (f *Fault) Servers() (names []string) {
	moving := []string{nemesis.Hit, nemesis.Waiter, nemesis.Spare, nemesis.OverBus}
	for name := range strings.FieldsFuncSeq(f.Target, func(r rune) bool {
		return strings.ContainsRune(">,*", r)
	}) {
		_, client := ClientOf(strings.TrimSuffix(name, "+"))
		if !client && !slices.Contains(moving, name) {
			names = append(names, name)
		}
	}
	return names
}
