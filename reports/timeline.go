package reports

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/lockbench/lockbench/history"
)

// What a page carries at most, so that it stays below 2 MB whatever the history. Beyond it the timeline has detail around the
// witness and the faults, and sums elsewhere.
const (
	maxDetail   = 7000  // holds and waits
	maxBins     = 20000 // sums, over all lanes
	maxLanes    = 48    // clients
	maxCommands = 1500  // ticks on the lanes of nodes
	maxKeySpans = 2000
	maxFaults   = 200
	maxMarks    = 800
	maxNodeKeys = 4 // keys drawn per node
)

// timeline is the data that timeline.js draws. Stamps are whole microseconds.
type timeline struct {
	End      int64      `json:"end"`
	View     [2]int64   `json:"view"`    // where it starts
	Witness  *[2]int64  `json:"witness"` // null: there is none
	Keys     int        `json:"keys"`
	Texts    []string   `json:"texts"` // what is said more than once
	Lanes    []lane     `json:"lanes"`
	Detail   [][2]int64 `json:"detail"` // where every operation is drawn; sums elsewhere
	Faults   []band     `json:"faults"`
	Overlaps []overlap  `json:"overlaps"`

	texts map[string]int
	left  []string // what was left out, in words
}

// lane is a row: a client or a node. Arrays instead of objects, since there may be thousands.
type lane struct {
	Label   string     `json:"label"`
	Kind    string     `json:"kind"` // client or node
	Witness bool       `json:"witness,omitempty"`
	Waits   [][6]int64 `json:"waits,omitempty"` // call, return, outcome, n, key, text
	Holds   [][9]int64 `json:"holds,omitempty"` // call, from, to, lease (-1: for ever), left, n, key, text, in the witness
	Marks   [][3]int64 `json:"marks,omitempty"` // t, kind, text
	Bins    []int64    `json:"bins,omitempty"`  // inside in per mille, acquisitions; one pair per bin of equal width
	Roles   [][3]int64 `json:"roles,omitempty"` // from, to, text
	Rows    int        `json:"rows,omitempty"`  // of keys
	Spans   [][4]int64 `json:"spans,omitempty"` // from, to, row, text
	Ticks   [][3]int64 `json:"ticks,omitempty"` // sent, received (0: never), text
}

// band is a fault.
type band struct {
	From   int64  `json:"from"`
	To     int64  `json:"to"`
	Open   bool   `json:"open,omitempty"`
	Strike bool   `json:"strike,omitempty"`
	Label  string `json:"label"`
	Text   string `json:"text"`
}

// overlap is the violation: a time, and the lanes between which it is drawn.
type overlap struct {
	From  int64  `json:"from"`
	To    int64  `json:"to"`
	Lanes []int  `json:"lanes"`
	Label string `json:"label"`
}

// The codes of outcomes and marks in the arrays; timeline.js has the same.
var (
	outcomes = map[history.Type]int64{history.OK: 0, history.Fail: 1, history.Info: 2, history.Invoke: 3}
	marks    = map[string]int64{"kill": 0, "exit": 1, "lost": 2, "gap": 3, "extend": 4}
)

func us(t int64) int64 { return int64(math.Round(float64(t) / 1e3)) }

// newTimeline chooses what is drawn.
func newTimeline(r Run, f *facts, w *witness) *timeline {
	t := &timeline{End: max(1, us(f.end)), Keys: max(1, r.History.Header.Keys), texts: map[string]int{}}
	t.View = [2]int64{0, t.End}
	if w != nil && len(w.holds) != 1 { // one hold, and then nobody: that is seen on the whole run
		t.aim(w)
	}
	t.choose(f, w)
	clients := lanesFor(f, w)
	if n := len(f.clients) - len(clients); n > 0 {
		t.leave("the lanes of %s", count(n, "client"))
	}
	t.clientLanes(f, w, clients)
	for _, n := range nodesOf(r, f) {
		t.nodeLane(n, r.Trace, w)
	}
	t.bands(f, w)
	if w != nil && w.together {
		t.mark(w, clients)
	}
	return t
}

// aim starts the view on the witness, with room on both sides.
func (t *timeline) aim(w *witness) {
	lo, hi := w.from, w.to
	for _, h := range w.holds {
		lo, hi = min(lo, h.From), max(hi, h.To)
	}
	if hi-lo > 4*(w.to-w.from) && w.together { // a hold that lasts for ever would hide the overlap
		lo, hi = max(lo, w.from-2*(w.to-w.from)), min(hi, w.to+2*(w.to-w.from))
	}
	pad := max((hi-lo)/4, 1e6)
	t.View = [2]int64{max(0, us(lo-pad)), min(t.End, us(hi+pad))}
	t.Witness = &[2]int64{us(w.from), us(w.to)}
}

// leave notes what the page does without.
func (t *timeline) leave(format string, args ...any) {
	t.left = append(t.left, fmt.Sprintf(format, args...))
}

// text numbers a text; 0 is the empty one.
func (t *timeline) text(s string) int64 {
	if len(t.Texts) == 0 {
		t.Texts = append(t.Texts, "")
		t.texts[""] = 0
	}
	i, ok := t.texts[s]
	if !ok {
		i = len(t.Texts)
		t.texts[s] = i
		t.Texts = append(t.Texts, s)
	}
	return int64(i)
}

// choose finds the times in which all operations are drawn: as wide as the page can bear around the witness and the faults.
func (t *timeline) choose(f *facts, w *witness) {
	t.Detail = [][2]int64{{0, t.End}}
	if len(f.ops) <= maxDetail {
		return
	}
	var centres []int64
	if w != nil {
		centres = append(centres, us(w.from/2+w.to/2))
	}
	for _, x := range f.faults {
		if len(centres) < 12 {
			centres = append(centres, us(x.from))
		}
	}
	if len(centres) == 0 {
		centres = []int64{0}
	}
	reach := sort.Search(int(min(t.End, math.MaxInt32)), func(reach int) bool {
		return countIn(f.ops, around(centres, int64(reach), t.End)) > maxDetail
	})
	t.Detail = around(centres, int64(max(0, reach-1)), t.End)
	t.leave("%s of %s acquire calls one by one: outside %s around the faults%s the timeline shows how much of the time each client was inside",
		thousands(len(f.ops)-countIn(f.ops, t.Detail)), thousands(len(f.ops)), short(time.Duration(reach)*time.Microsecond), andWitness(w))
}

func andWitness(w *witness) string {
	if w == nil {
		return ""
	}
	return " and the violation"
}

// around joins the windows of one reach around all centres.
func around(centres []int64, reach, end int64) [][2]int64 {
	centres = slices.Sorted(slices.Values(centres))
	var ws [][2]int64
	for _, c := range centres {
		lo, hi := max(0, c-reach), min(end, c+reach)
		if n := len(ws); n > 0 && lo <= ws[n-1][1] {
			ws[n-1][1] = hi
			continue
		}
		ws = append(ws, [2]int64{lo, hi})
	}
	return ws
}

func countIn(ops []op, ws [][2]int64) int {
	n := 0
	for i := range ops {
		if touches(ws, us(ops[i].call), us(ops[i].ret)) {
			n++
		}
	}
	return n
}

func touches(ws [][2]int64, from, to int64) bool {
	for _, w := range ws {
		if from <= w[1] && to >= w[0] {
			return true
		}
	}
	return false
}

// lanesFor returns the clients that get a lane: all, or those of the witness and the first others.
func lanesFor(f *facts, w *witness) []int {
	if len(f.clients) <= maxLanes {
		return f.clients
	}
	var cs []int
	for _, p := range f.clients {
		if w != nil && w.has(p) && len(cs) < maxLanes {
			cs = append(cs, p)
		}
	}
	for _, p := range f.clients {
		if len(cs) < maxLanes && !slices.Contains(cs, p) {
			cs = append(cs, p)
		}
	}
	return slices.Sorted(slices.Values(cs))
}

func (t *timeline) clientLanes(f *facts, w *witness, clients []int) {
	at := map[int]int{}
	for i, p := range clients {
		at[p] = i
		t.Lanes = append(t.Lanes, lane{Label: who(p), Kind: "client", Witness: w != nil && w.has(p)})
	}
	if len(t.Detail) != 1 || t.Detail[0] != [2]int64{0, t.End} {
		t.sums(f, at)
	}
	for i := range f.ops {
		o := &f.ops[i]
		l, ok := at[o.process]
		if ok && o.outcome != history.OK && touches(t.Detail, us(o.call), us(o.ret)) {
			t.Lanes[l].Waits = append(t.Lanes[l].Waits, [6]int64{us(o.call), us(o.ret), outcomes[o.outcome], int64(o.n), int64(o.key), t.text(clean(o.err, 100))})
		}
	}
	for i := range f.holds {
		h := &f.holds[i]
		if l, ok := at[h.process]; ok && touches(t.Detail, us(h.call), us(h.to)) {
			t.Lanes[l].Holds = append(t.Lanes[l].Holds, t.hold(h, w))
		}
	}
	kept := 0
	for _, m := range f.marks {
		l, ok := at[m.process]
		if ok && (kept < maxMarks || m.kind == "kill") && touches(t.Detail, us(m.t), us(m.t)) {
			kept++
			t.Lanes[l].Marks = append(t.Lanes[l].Marks, [3]int64{us(m.t), marks[m.kind], t.text(m.text)})
		}
	}
}

func (t *timeline) hold(h *hold, w *witness) [9]int64 {
	lease, from, to, in := int64(-1), h.from, h.to, int64(0)
	if h.lease > 0 {
		lease = us(h.lease)
	}
	if w != nil {
		for _, x := range w.holds { // the checker's own times, where it gives them
			if x.Process == h.process && x.N == h.n {
				from, to, in = x.From, min(max(x.To, x.From), max(h.to, x.From)), 1
			}
		}
	}
	text := h.ended
	if h.node != "" {
		text = "granted by " + clean(h.node, 40) + "; " + text
	}
	return [9]int64{us(h.call), us(from), us(to), lease, us(h.left), int64(h.n), int64(h.key), t.text(text), in}
}

// sums gives each lane what its client did per bin, for the times without detail.
func (t *timeline) sums(f *facts, at map[int]int) {
	bins := min(1500, max(100, maxBins/max(1, len(at))))
	width := float64(t.End) / float64(bins)
	inside := make([][]float64, len(at))
	for i := range inside {
		inside[i] = make([]float64, bins)
		t.Lanes[i].Bins = make([]int64, 2*bins)
	}
	for i := range f.holds {
		h := &f.holds[i]
		l, ok := at[h.process]
		if !ok {
			continue
		}
		from, to := float64(us(h.from)), float64(us(h.to))
		b := min(bins-1, int(from/width))
		t.Lanes[l].Bins[2*b+1]++
		for ; b < bins && float64(b)*width < to; b++ {
			inside[l][b] += max(0, min(to, float64(b+1)*width)-max(from, float64(b)*width))
		}
	}
	for l := range inside {
		for b, v := range inside[l] {
			t.Lanes[l].Bins[2*b] = int64(min(1000, math.Round(1000*v/width)))
		}
	}
}

// nodeLane draws a node's role, what it held, and the commands that it was sent.
func (t *timeline) nodeLane(n node, trace []history.Command, w *witness) {
	l := lane{Label: clean(n.name, 24), Kind: "node"}
	for _, s := range n.roles {
		l.Roles = append(l.Roles, [3]int64{us(s.from), us(s.to), t.text(s.what)})
	}
	rows := map[int]int{}
	var left int
	for _, k := range n.keys {
		row, ok := rows[k.key]
		if !ok && len(rows) < maxNodeKeys {
			row, ok = len(rows), true
			rows[k.key] = row
		}
		if !ok || len(l.Spans) >= maxKeySpans || !touches(t.Detail, us(k.from), us(k.to)) {
			left++
			continue
		}
		l.Spans = append(l.Spans, [4]int64{us(k.from), us(k.to), int64(row), t.text(keyText(k, t.Keys, n.exact))})
	}
	l.Rows = len(rows)
	if left > 0 {
		t.leave("%s on %s", count(left, "span of a key"), l.Label)
	}
	t.ticks(&l, n.name, trace, w)
	t.Lanes = append(t.Lanes, l)
}

// keyText is label and tooltip of a key on a node, divided by a line break.
func keyText(k keySpan, keys int, exact bool) string {
	label := who(k.owner)
	if k.owner < 0 {
		label = clean(k.value, 16)
	}
	if keys > 1 {
		label = fmt.Sprintf("lock %d: %s", k.key, label)
	}
	tip := fmt.Sprintf("key lock:%d", k.key)
	if k.value != "" {
		tip += " = " + clean(k.value, 60)
	}
	tip += ", then " + k.ended
	if !exact {
		tip += " (what the client was told; the node's own stream was not recorded)"
	}
	return label + "\n" + tip
}

// ticks adds the commands nearest to the start of the view.
func (t *timeline) ticks(l *lane, name string, trace []history.Command, w *witness) {
	var cs []*history.Command
	for i := range trace {
		if c := &trace[i]; c.Node == name {
			cs = append(cs, c)
		}
	}
	if len(cs) > maxCommands {
		mid := (t.View[0] + t.View[1]) / 2 * 1000
		if w == nil {
			mid = 0
		}
		slices.SortStableFunc(cs, func(a, b *history.Command) int {
			return int(min(1, max(-1, distance(a.Sent, mid)-distance(b.Sent, mid))))
		})
		t.leave("the ticks of %s to %s", count(len(cs)-maxCommands, "command"), l.Label)
		cs = cs[:maxCommands]
		slices.SortStableFunc(cs, func(a, b *history.Command) int { return int(min(1, max(-1, a.Sent-b.Sent))) })
	}
	for _, c := range cs {
		l.Ticks = append(l.Ticks, [3]int64{us(c.Sent), us(c.Recv), t.text(who(c.Process) + ": " + clean(c.String(), 70) + " → " + replyOf(*c, 40))})
	}
}

func distance(a, b int64) int64 { return max(a-b, b-a) }

// replyOf is what came back, in words.
func replyOf(c history.Command, limit int) string {
	switch {
	case c.Err != "":
		return "error: " + clean(c.Err, limit)
	case c.Recv == 0:
		return "no reply"
	case c.Reply == "":
		return "(empty)"
	}
	return clean(c.Reply, limit)
}

func (t *timeline) bands(f *facts, w *witness) {
	for i, x := range f.faults {
		if i == maxFaults {
			t.leave("%s", count(len(f.faults)-maxFaults, "fault"))
			break
		}
		text := fmt.Sprintf("%s, from %s to %s", x.name(), seconds(x.from), seconds(x.to))
		if x.open {
			text = fmt.Sprintf("%s at %s, to the end of the run", x.name(), seconds(x.from))
		}
		if x.by != nil {
			text += ", when " + who(*x.by) + " reached the gate"
		}
		if x.err != "" && !strings.Contains(x.err, "still open") {
			text += ": " + clean(x.err, 120)
		}
		t.Faults = append(t.Faults, band{us(x.from), us(x.to), x.open, x.strike, x.name(), text})
	}
}

// mark adds the violation between the lanes of its clients.
func (t *timeline) mark(w *witness, clients []int) {
	o := overlap{From: us(w.from), To: us(w.to), Label: "both inside, " + short(w.overlap())}
	if len(w.holds) > 2 {
		o.Label = "all inside, " + short(w.overlap())
	}
	for _, h := range w.holds {
		if i := slices.Index(clients, h.Process); i >= 0 && !slices.Contains(o.Lanes, i) {
			o.Lanes = append(o.Lanes, i)
		}
	}
	slices.Sort(o.Lanes)
	t.Overlaps = append(t.Overlaps, o)
}

// json is the data for a script element. json.Marshal writes <, > and & as \u003c, \u003e and \u0026, so no text in it can end the element.
func (t *timeline) json() ([]byte, error) { return json.Marshal(t) }
