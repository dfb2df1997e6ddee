package reports

import (
	"fmt"
	"slices"

	"github.com/lockbench/lockbench/history"
	"github.com/lockbench/lockbench/internal/units"
	"github.com/lockbench/lockbench/reports/page"
)

// nodeLane draws a node's role, what it held, and the commands that it was sent.
func (t *timeline) nodeLane(n node, trace []history.Command, of int) {
	l := lane{Label: page.Clean(n.name, 24), Kind: "node"}
	for _, s := range n.roles[:min(len(n.roles), maxFaults)] {
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
		if !ok || len(l.Spans) >= maxKeySpans/of || !touches(t.Detail, us(k.from), us(k.to)) {
			left++
			continue
		}
		l.Spans = append(l.Spans, [4]int64{us(k.from), us(k.to), int64(row),
			t.text(keyText(k, t.Keys, n.exact))})
	}
	l.Rows = len(rows)
	if left > 0 {
		t.leave("%s on %s", units.Count(left, "span of a key", "spans of keys"), l.Label)
	}
	t.ticks(&l, n.name, trace, maxCommands/of)
	t.Lanes = append(t.Lanes, l)
}

// keyText is label and tooltip of a key on a node, divided by a line break.
func keyText(k keySpan, keys int, exact bool) string {
	label := who(k.owner)
	if k.owner < 0 {
		label = page.Clean(k.value, 16)
	}
	if keys > 1 {
		label = fmt.Sprintf("lock %d: %s", k.key, label)
	}
	tip := fmt.Sprintf("key lock:%d", k.key)
	if k.value != "" {
		tip += " = " + page.Clean(k.value, 60)
	}
	tip += ", then " + k.ended
	if !exact {
		tip += " (what the client was told; the node's own stream was not recorded)"
	}
	return label + "\n" + tip
}

// ticks adds the commands nearest to the start of the view.
func (t *timeline) ticks(l *lane, name string, trace []history.Command, limit int) {
	var cs []*history.Command
	for i := range trace {
		if c := &trace[i]; c.Node == name {
			cs = append(cs, c)
		}
	}
	if len(cs) > limit {
		mid := (t.View[0] + t.View[1]) / 2 * 1000
		slices.SortStableFunc(cs, func(a, b *history.Command) int {
			return int(min(1, max(-1, distance(a.Sent, mid)-distance(b.Sent, mid))))
		})
		t.leave("the ticks of %s to %s", units.Count(len(cs)-limit, "command"), l.Label)
		cs = cs[:limit]
		slices.SortStableFunc(cs, func(a, b *history.Command) int {
			return int(min(1, max(-1, a.Sent-b.Sent)))
		})
	}
	for _, c := range cs {
		l.Ticks = append(l.Ticks, [3]int64{us(c.Sent), us(c.Recv), t.text(who(c.Process) + ": " +
			page.Clean(c.String(), 70) + " → " + replyOf(*c, 40))})
	}
}

func distance(a, b int64) int64 { return max(a-b, b-a) }
