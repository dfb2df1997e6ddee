package reports

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/lockbench/lockbench/history"
	"github.com/lockbench/lockbench/internal/store"
	"github.com/lockbench/lockbench/internal/units"
	"github.com/lockbench/lockbench/reports/page"
)

// op is one call of a client, from its invocation to its completion.
type op struct {
	process, n, key int
	f               string
	call, ret       int64
	outcome         history.Type // OK, Fail or Info; Invoke: it never returned
	err             string
}

// hold is a granted acquisition as it is drawn. How long a hold *surely* lasted is the checker's to
// say; here it goes from the grant to the invocation of the release, to the death of its client, or
// to the end of the record.
type hold struct {
	process, n, key int
	call, from, to  int64
	left            int64 // the release returned; 0: it did not, or there was none
	lease           int64 // until then the server keeps the lock, as the client believes; 0: for ever
	sent            int64
	node            string
	token           int64
	depth           int
	ended           string // "released", "release unknown", "killed", "gone", "open"
}

// mark is something that happened to a client at one instant.
type mark struct {
	process int
	t       int64
	kind    string // kill, exit, lost, gap, extend
	text    string
}

// facts is a history in the form in which it is drawn and counted.
type facts struct {
	ops      []op // acquires, by call
	holds    []hold
	faults   []fault
	marks    []mark
	clients  []int
	end      int64 // the last stamp
	count    int   // operations of all kinds
	releases int   // releases that were refused
	unknown  int   // operations whose outcome nobody knows

	nodes  []node // see nodesOf
	header history.Header
}

// collector builds facts from events in the order of their stamps.
type collector struct {
	*facts
	open   map[int]*history.Event // invocation without completion, by process
	inside map[int][]int          // indices of the holds that have not ended, by process
	begun  map[int]int            // fault id -> index
	seen   map[int]bool
}

// factsOf reads a run for drawing.
func factsOf(r *store.Run) *facts {
	f := collect(r.History)
	annotate(f.faults, r.Plan)
	return f
}

// collect reads a history for drawing. It never refuses one: what does not fit is skipped, since
// the page must show what there is even of a record that the checker would not accept.
func collect(h *history.History) *facts {
	c := collector{&facts{header: h.Header}, map[int]*history.Event{}, map[int][]int{}, map[int]int{},
		map[int]bool{}}
	for i := range h.Events {
		c.add(&h.Events[i])
	}
	c.close(h)
	return c.facts
}

func (c *collector) add(e *history.Event) {
	c.end = max(c.end, e.T)
	if e.Process >= 0 && !c.seen[e.Process] {
		c.seen[e.Process] = true
		c.clients = append(c.clients, e.Process)
	}
	switch {
	case e.Type == history.Fault:
		c.fault(e)
	case e.Process < 0:
	case e.Type == history.Invoke:
		c.invoke(e)
	case e.Type.Completes():
		c.complete(e)
	case e.Type == history.Extend:
		c.extend(e, e)
		c.mark(e, "extend", "lease extended")
	case e.Type == history.Lost:
		c.mark(e, "lost", "told that the hold is over: "+page.Clean(e.Err, 80))
	case e.Type == history.Gap:
		c.mark(e, "gap", "did not run for "+units.Span(e.Gap))
	case e.Type == history.Kill:
		c.mark(e, "kill", "killed by the harness")
		c.leave(e, "killed")
	case e.Type == history.Exit:
		c.exit(e)
	}
}

func (c *collector) mark(e *history.Event, kind, text string) {
	c.marks = append(c.marks, mark{e.Process, e.T, kind, text})
}

func (c *collector) exit(e *history.Event) {
	text := "process gone, which nobody planned"
	if e.Planned {
		text = "process gone, as planned"
	}
	if len(c.inside[e.Process]) > 0 || !e.Planned {
		c.mark(e, "exit", text)
	}
	c.leave(e, "gone")
}

func (c *collector) leave(e *history.Event, how string) {
	for _, i := range c.inside[e.Process] {
		c.holds[i].to, c.holds[i].ended = e.T, how
	}
	delete(c.inside, e.Process)
}

func (c *collector) invoke(e *history.Event) {
	c.count++
	c.open[e.Process] = e
	if e.F != history.Release {
		return
	}
	kept := c.inside[e.Process][:0]
	for _, i := range c.inside[e.Process] {
		if h := &c.holds[i]; h.n == e.N {
			h.to, h.ended = e.T, "release unknown"
			continue
		}
		kept = append(kept, i)
	}
	c.inside[e.Process] = kept
}

func (c *collector) complete(e *history.Event) {
	call := c.open[e.Process]
	if call == nil {
		return
	}
	delete(c.open, e.Process)
	if e.Type == history.Info {
		c.unknown++
	}
	switch {
	case e.F == history.Acquire:
		c.ops = append(c.ops, op{e.Process, e.N, keyOf(e, call), e.F, call.T, e.T, e.Type, e.Err})
		if e.Type == history.OK {
			c.granted(e, call)
		}
	case e.F == history.Release:
		c.released(e)
	case e.F == history.ExtendOp && e.Type == history.OK:
		c.extend(e, call)
		c.mark(e, "extend", "lease extended")
	}
}

func keyOf(e, call *history.Event) int {
	if e.Key == nil && len(e.Keys) == 0 {
		return call.KeyOf()
	}
	return e.KeyOf()
}

func (c *collector) granted(e, call *history.Event) {
	keys := e.Keys
	if len(keys) == 0 {
		keys = []int{keyOf(e, call)}
	}
	g := e.Grant
	if g == nil {
		g = &history.Grant{}
	}
	for _, key := range keys {
		h := hold{process: e.Process, n: e.N, key: key, call: call.T, from: e.T,
			sent: max(g.Sent, call.T), node: g.Node,
			token: g.Token, depth: max(e.Depth, call.Depth), ended: "open"}
		h.lease = leaseEnd(h.sent, g)
		c.inside[e.Process] = append(c.inside[e.Process], len(c.holds))
		c.holds = append(c.holds, h)
	}
}

func leaseEnd(sent int64, g *history.Grant) int64 {
	if g.ValidUntil != 0 {
		return g.ValidUntil
	}
	if g.Lease <= 0 {
		return 0
	}
	return sent + int64(g.Lease)
}

func (c *collector) released(e *history.Event) {
	if e.Type == history.Fail {
		c.releases++
	}
	for i := len(c.holds) - 1; i >= 0 && i >= len(c.holds)-64; i-- {
		if h := &c.holds[i]; h.process == e.Process && h.n == e.N {
			h.left = e.T
			switch e.Type {
			case history.OK:
				h.ended = "released"
			case history.Fail:
				h.ended = "release refused"
			}
		}
	}
}

func (c *collector) extend(e, call *history.Event) {
	if e.Grant == nil {
		return
	}
	sent := e.Grant.Sent
	if call != e {
		sent = max(sent, call.T)
	}
	for _, i := range c.inside[e.Process] {
		if h := &c.holds[i]; h.n == e.N {
			h.lease = max(h.lease, leaseEnd(sent, e.Grant))
		}
	}
}

// close ends what the record left open.
func (c *collector) close(h *history.History) {
	for p := 0; p < min(h.Header.Clients, 4096); p++ {
		if !c.seen[p] {
			c.clients = append(c.clients, p)
		}
	}
	slices.Sort(c.clients)
	for p, e := range c.open {
		c.unknown++
		if e.F == history.Acquire {
			c.ops = append(c.ops, op{p, e.N, e.KeyOf(), e.F, e.T, c.end, history.Invoke, ""})
		}
	}
	for i := range c.holds {
		if c.holds[i].to == 0 {
			c.holds[i].to = c.end
		}
	}
	c.closeFaults()
	slices.SortStableFunc(c.ops, func(a, b op) int {
		return cmp.Or(cmp.Compare(a.call, b.call), cmp.Compare(a.process, b.process))
	})
}

// who names a process.
func who(process int) string {
	if process < 0 {
		return "harness"
	}
	return fmt.Sprintf("client %d", process)
}
