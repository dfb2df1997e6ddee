// Package timeline chooses what the timeline of a run draws, and holds the script that draws it.
// Every hold, fault and overlap is drawn for exactly the time that the record of the verdict has.
package timeline

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"math"

	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/reports/view"
)

// drawing draws a Timeline.
//
//go:embed timeline.js
var drawing string

// viewer steps through it.
//
//go:embed viewer.js
var viewer string

// JS draws a Timeline that the page has in its element "data", and steps through it.
var JS = drawing + viewer

// Empty is the input of JS for a timeline without any lane.
const Empty = `{"end":1,"view":[0,1],"keys":1,"lanes":[],"faults":[],"overlaps":[]}`

// What a page carries at most, so that it stays below 2 MB whatever the history. Beyond it the
// timeline has detail around the witness and the faults, and sums elsewhere.
const (
	maxDetail   = 7000  // holds and waits
	maxBins     = 20000 // sums, over all lanes
	maxHolds    = 9000  // an acquire of several locks has as many
	maxCommands = 4000  // ticks on the lanes of all nodes
	maxKeySpans = 5000  // of all nodes
	maxFaults   = 200
	maxMarks    = 800
	maxNodeKeys = 4 // keys drawn per node
	maxNodes    = 24
	maxTexts    = 500_000 // bytes of all that is said
)

// Timeline is the data that timeline.js draws. Stamps are whole microseconds.
type Timeline struct {
	End      int64      `json:"end"`
	View     [2]int64   `json:"view"` // where it starts
	Keys     int        `json:"keys"`
	Texts    []string   `json:"texts"` // repeated texts
	Lanes    []lane     `json:"lanes"`
	Detail   [][2]int64 `json:"detail"` // where every operation is drawn; sums elsewhere
	Faults   []band     `json:"faults"`
	Overlaps []Overlap  `json:"overlaps"`

	texts map[string]int
	said  int      // bytes of Texts
	Left  []string `json:"-"` // omissions, in words
}

// lane is a row: a client or a node. Arrays instead of objects, since there may be thousands.
type lane struct {
	Label   string     `json:"label"`
	Kind    string     `json:"kind"` // client or node
	Witness bool       `json:"witness,omitempty"`
	Waits   [][6]int64 `json:"waits,omitempty"` // call, return, outcome, n, key, text
	// call, from, to, lease (-1: forever), left, n, key, text, in the witness, released in order
	Holds [][10]int64 `json:"holds,omitempty"`
	Marks [][3]int64  `json:"marks,omitempty"` // t, kind, text
	// inside in per mille, acquisitions; one pair per bin of equal width
	Bins  []int64    `json:"bins,omitempty"`
	Roles [][3]int64 `json:"roles,omitempty"` // from, to, text
	Rows  int        `json:"rows,omitempty"`  // of keys
	// from, to, row, owner, key and value, how it ended, expired
	Spans  [][7]int64 `json:"spans,omitempty"`
	Leases [][3]int64 `json:"leases,omitempty"` // of keys: row, given, end
	// sent, received (0: never), client, command, reply
	Ticks [][5]int64 `json:"ticks,omitempty"`
}

// band is a fault.
type band struct {
	From  int64  `json:"from"`
	To    int64  `json:"to"`
	Open  bool   `json:"open,omitempty"`
	Aimed bool   `json:"aimed,omitempty"`
	Label string `json:"label"`
	Text  string `json:"text"`
}

// Overlap is a violation: a time, the lanes that it connects, and the times to show around it.
type Overlap struct {
	From  int64    `json:"from"`
	To    int64    `json:"to"`
	View  [2]int64 `json:"view"`
	Lanes []int    `json:"lanes"`
	Label string   `json:"label"`
	Point bool     `json:"point,omitempty"` // a single moment instead of an overlap
}

// The codes of outcomes and marks in the arrays; timeline.js has the same.
var (
	outcomes = map[history.Type]int64{history.OK: 0, history.Fail: 1, history.Info: 2,
		history.Invoke: 3}
	marks = map[history.Type]int64{history.Kill: 0, history.Exit: 1, history.Lost: 2, history.Gap: 3,
		history.Extend: 4}
)

func us(t int64) int64 { return int64(math.Round(float64(t) / 1e3)) }

// New selects the parts of a run to draw.
func New(v *view.View) *Timeline {
	t := &Timeline{End: max(1, us(v.End)), Keys: max(1, v.History.Header.Keys),
		texts: map[string]int{}}
	t.View = [2]int64{0, t.End}
	// one hold, and then no other: that is seen on the whole run
	if len(v.Violations) > 0 && len(v.Violations[0].Holds) != 1 {
		t.View = t.aim(v.Violations[0], v)
	}
	t.choose(v)
	clients := v.Lanes()
	if n := len(v.Clients) - len(clients); n > 0 {
		t.leave("the lanes of %s", units.Count(n, "client"))
	}
	t.clientLanes(v, clients)
	nodes := v.Redis()
	if n := len(nodes) - maxNodes; n > 0 {
		t.leave("the lanes of %s", units.Count(n, "node"))
		nodes = nodes[:maxNodes]
	}
	for _, n := range nodes {
		t.nodeLane(n, v.Trace, len(nodes))
	}
	t.bands(v)
	for _, w := range v.Violations {
		t.violation(w, v, clients)
	}
	return t
}

// aim returns a view of a witness, with room on both sides.
func (t *Timeline) aim(w *view.Violation, v *view.View) [2]int64 {
	lo, hi := w.From, min(w.To, v.End)
	for _, h := range w.Holds {
		lo, hi = min(lo, h.From), max(hi, min(h.To, v.End))
	}
	if hi-lo > 4*(w.To-w.From) && w.Together { // a hold that lasts forever would hide the overlap
		lo, hi = max(lo, w.From-2*(w.To-w.From)), min(hi, w.To+2*(w.To-w.From))
	}
	pad := max((hi-lo)/4, 1e6)
	if !w.Together { // an instant says nothing without what came before it
		pad = max(pad, min(v.End/8, 300e6))
	}
	return [2]int64{max(0, us(lo-pad)), min(t.End, us(hi+pad))}
}

// leave notes what the page does without.
func (t *Timeline) leave(format string, args ...any) {
	t.Left = append(t.Left, fmt.Sprintf(format, args...))
}

// text numbers a text; 0 is the empty one.
func (t *Timeline) text(s string) int64 {
	if len(t.Texts) == 0 {
		t.Texts = append(t.Texts, "")
		t.texts[""] = 0
	}
	i, ok := t.texts[s]
	if !ok && t.said+escaped(s) > maxTexts {
		if t.said <= maxTexts {
			t.said = maxTexts + 1
			t.leave("some of the texts that the timeline shows when pointed at")
		}
		return 0
	}
	if !ok {
		t.said += escaped(s)
		i = len(t.Texts)
		t.texts[s] = i
		t.Texts = append(t.Texts, s)
	}
	return int64(i)
}

func escaped(s string) int {
	b, err := json.Marshal(s)
	if err != nil {
		return len(s)
	}
	return len(b)
}

// JSON returns the data for a script element. json.Marshal writes <, > and & as \u003c, \u003e and
// \u0026, so no text in it can end the element.
func (t *Timeline) JSON() ([]byte, error) { return json.Marshal(t) }
