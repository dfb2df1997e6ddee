package timeline

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/lockbench/lockbench/checker/trace"
	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/reports/page"
	"github.com/lockbench/lockbench/reports/view"
)

// nodeLane draws a node's role, the keys that it held, and the commands that it received.
func (t *Timeline) nodeLane(n view.Node, trace []history.Command, of int) {
	l := lane{Label: page.Clean(n.Name, 24), Kind: "node"}
	for _, s := range n.Roles[:min(len(n.Roles), maxFaults)] {
		l.Roles = append(l.Roles, [3]int64{us(s.From), us(s.To), t.text(s.Name)})
	}
	rows := map[int]int{}
	var left int
	for _, k := range n.Keys {
		row, ok := rows[k.Key]
		if !ok && len(rows) < maxNodeKeys {
			row, ok = len(rows), true
			rows[k.Key] = row
		}
		if !ok || len(l.Spans) >= maxKeySpans/of || !t.detailed(k.From, k.To) {
			left++
			continue
		}
		owner, what, ended := keyTexts(k, t.Keys, n.Exact)
		l.Spans = append(l.Spans, [7]int64{us(k.From), us(k.To), int64(row), t.text(owner),
			t.text(what), t.text(ended), flag(k.Expired)})
		for _, d := range k.Leases {
			l.Leases = append(l.Leases, [3]int64{int64(row), us(d.At), us(d.End)})
		}
	}
	l.Rows = len(rows)
	if left > 0 {
		t.leave("%s on %s", units.Count(left, "span of a key", "spans of keys"), l.Label)
	}
	t.ticks(&l, n.Name, trace, maxCommands/of)
	t.Lanes = append(t.Lanes, l)
}

// keyTexts returns the owner of a key on a node, its name and value, and how it ended.
func keyTexts(k trace.KeySpan, keys int, exact bool) (owner, what, ended string) {
	owner = view.Who(k.Owner)
	if k.Owner < 0 {
		owner = page.Clean(k.Value, 16)
	}
	if keys > 1 {
		owner = fmt.Sprintf("lock %d: %s", k.Key, owner)
	}
	what = fmt.Sprintf("lock:%d", k.Key)
	if k.Value != "" {
		what += " = " + page.Clean(k.Value, 60)
	}
	if ended = "then " + k.Ended; !exact {
		ended += " (what the client was told; the node's own stream was not recorded)"
	}
	return owner, what, ended
}

// ticks adds the commands nearest to the start of the view.
func (t *Timeline) ticks(l *lane, name string, trace []history.Command, limit int) {
	var cs []*history.Command
	for i := range trace {
		if c := &trace[i]; c.Node == name {
			cs = append(cs, c)
		}
	}
	if len(cs) > limit {
		mid := (t.View[0] + t.View[1]) / 2 * 1000
		slices.SortStableFunc(cs, func(a, b *history.Command) int {
			return cmp.Compare(distance(a.Sent, mid), distance(b.Sent, mid))
		})
		t.leave("the ticks of %s to %s", units.Count(len(cs)-limit, "command"), l.Label)
		cs = cs[:limit]
		slices.SortStableFunc(cs, func(a, b *history.Command) int {
			return cmp.Compare(a.Sent, b.Sent)
		})
	}
	for _, c := range cs {
		l.Ticks = append(l.Ticks, [5]int64{us(c.Sent), us(c.Recv), t.text(view.Who(c.Process)),
			t.text(page.Clean(c.String(), 70)), t.text(view.ReplyOf(*c, 40))})
	}
}

func distance(a, b int64) int64 { return max(a-b, b-a) }

func (t *Timeline) bands(v *view.View) {
	for i, x := range v.Faults {
		if i == maxFaults {
			t.leave("%s", units.Count(len(v.Faults)-maxFaults, "fault"))
			break
		}
		text := fmt.Sprintf("%s, from %s to %s", x.Words(), units.Stamp(x.From),
			units.Stamp(v.Clamp(x.To)))
		if x.Lasting {
			text = fmt.Sprintf("%s at %s, to the end of the run", x.Words(), units.Stamp(x.From))
		}
		if x.By != nil {
			text += ", when " + view.Who(*x.By) + " reached the breakpoint"
		}
		if x.Err != "" {
			text += ": " + page.Clean(x.Err, 120)
		}
		t.Faults = append(t.Faults, band{us(x.From), us(v.Clamp(x.To)), x.Lasting, x.Aimed, x.Name(),
			text})
	}
}

// violation adds what went wrong, between the lanes of its clients.
func (t *Timeline) violation(w *view.Violation, v *view.View, clients []int) {
	from, to := w.When(v)
	o := Overlap{From: us(from), To: us(to), View: t.aim(w, v), Point: !w.Together, Label: w.Label()}
	for _, p := range w.Processes() {
		if i := slices.Index(clients, p); i >= 0 && !slices.Contains(o.Lanes, i) {
			o.Lanes = append(o.Lanes, i)
		}
	}
	slices.Sort(o.Lanes)
	if len(o.Lanes) > 0 {
		t.Overlaps = append(t.Overlaps, o)
	}
}
