package timeline

import (
	"fmt"
	"slices"

	"github.com/lockbench/lockbench/checker/trace"
	"github.com/lockbench/lockbench/history"
	"github.com/lockbench/lockbench/internal/units"
	"github.com/lockbench/lockbench/reports/page"
	"github.com/lockbench/lockbench/reports/view"
)

// nodeLane draws a node's role, what it held, and the commands that it was sent.
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
		l.Spans = append(l.Spans, [4]int64{us(k.From), us(k.To), int64(row),
			t.text(keyText(k, t.Keys, n.Exact))})
	}
	l.Rows = len(rows)
	if left > 0 {
		t.leave("%s on %s", units.Count(left, "span of a key", "spans of keys"), l.Label)
	}
	t.ticks(&l, n.Name, trace, maxCommands/of)
	t.Lanes = append(t.Lanes, l)
}

// keyText is label and tooltip of a key on a node, divided by a line break.
func keyText(k trace.KeySpan, keys int, exact bool) string {
	label := view.Who(k.Owner)
	if k.Owner < 0 {
		label = page.Clean(k.Value, 16)
	}
	if keys > 1 {
		label = fmt.Sprintf("lock %d: %s", k.Key, label)
	}
	tip := fmt.Sprintf("key lock:%d", k.Key)
	if k.Value != "" {
		tip += " = " + page.Clean(k.Value, 60)
	}
	tip += ", then " + k.Ended
	if !exact {
		tip += " (what the client was told; the node's own stream was not recorded)"
	}
	return label + "\n" + tip
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
			return int(min(1, max(-1, distance(a.Sent, mid)-distance(b.Sent, mid))))
		})
		t.leave("the ticks of %s to %s", units.Count(len(cs)-limit, "command"), l.Label)
		cs = cs[:limit]
		slices.SortStableFunc(cs, func(a, b *history.Command) int {
			return int(min(1, max(-1, a.Sent-b.Sent)))
		})
	}
	for _, c := range cs {
		l.Ticks = append(l.Ticks, [3]int64{us(c.Sent), us(c.Recv), t.text(view.Who(c.Process) + ": " +
			page.Clean(c.String(), 70) + " → " + view.ReplyOf(*c, 40))})
	}
}

func distance(a, b int64) int64 { return max(a-b, b-a) }
