package trace

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/lockbench/lockbench/internal/history"
)

// TestOrders: of commands that were under way at once, their replies tell which came first. A line
// is "name process sent recv command -> reply"; recv 0 is a command without a reply. What D may
// have deleted is named by the writers; "older" was there before.
func TestOrders(t *testing.T) {
	for _, c := range []struct{ name, commands, hits, ends string }{
		{"one after the other", "A 0 1 2 SETNX k a -> 1\nD 1 3 4 DEL k -> 1\nB 2 5 6 SETNX k b -> 1",
			"A", "deleted by D"},
		{"a deletion between two grants that overlap it",
			"A 0 1 5 SETNX k a -> 1\nD 1 2 8 DEL k -> 1\nB 2 3 9 SETNX k b -> 1", "A B", "deleted by D"},
		{"the same, and a reader sees the second value afterwards",
			"A 0 1 5 SETNX k a -> 1\nD 1 2 8 DEL k -> 1\nB 2 3 9 SETNX k b -> 1\nC 3 10 11 GET k -> b",
			"A", "deleted by D"},
		{"two deletions, and the other one found nothing",
			"O 3 1 2 SETNX k o -> 1\nD 0 3 9 DEL k -> 1\nE 1 4 5 DEL k -> 0\nA 1 5 6 SETNX k a -> 1\n" +
				"F 2 7 8 DEL k -> 1\nB 2 8 10 SETNX k b -> 1", "O", "deleted by F"},
		{"a client sends the next command when it has the reply",
			"A 0 1 2 SETNX k a -> 1\nE 1 3 4 DEL k -> 1\nC 1 4 9 SETNX k c -> 1\nD 2 5 6 DEL k -> 1\n" +
				"B 2 6 7 SETNX k b -> 1", "C", "deleted by E"},
		{"a deletion that was never answered, and nothing else can have freed the key",
			"A 0 1 2 SETNX k a -> 1\nD 1 3 0 DEL k ->\nB 2 5 6 SETNX k b -> 1", "A", "deleted by D"},
		{"the lease was over",
			"A 0 1 2 SET k a NX PX 0.00001 -> OK\nB 2 50 60 SET k b NX -> OK\nD 1 70 80 DEL k -> 1", "B",
			"expired"},
		{"a renewal made the lease longer",
			"A 0 1 2 SET k a NX PX 0.00001 -> OK\nR 0 5 6 PEXPIRE k 0.0001 -> 1\nD 1 40 45 DEL k -> 1\n" +
				"B 2 50 60 SET k b NX -> OK", "A", "deleted by D"},
		{"a fault may have taken the key",
			"A 0 1001 1002 SETNX k a -> 1\nD 1 1003 0 DEL k ->\nB 2 1005 1006 SETNX k b -> 1",
			"A B older", "deleted by D lost"},
		{"a deletion that compares", "A 0 1 2 SET k a NX -> OK\nD 1 3 4 DELIFEQ k b -> 0\n" +
			"C 1 5 6 GET k -> a", "", ""},
		{"a swap by which no client came in", "A 0 1 2 SETNX k a -> 1\nS 1 3 4 GETSET k s -> a\n" +
			"D 2 5 6 DEL k -> 1\nB 2 7 8 SETNX k b -> 1", "A", "deleted by D"},
		{"a swap tells which of two came first", "O 3 1 2 SETNX k o -> 1\nA 0 3 9 GETSET k a -> o\n" +
			"B 1 4 20 GETSET k b -> a\nD 2 5 21 DEL k -> 1", "B", "overwritten by B"},
		{"swaps of one value do not tell", "O 3 1 2 SETNX k o -> 1\nA 0 3 9 GETSET k o -> o\n" +
			"B 1 4 20 GETSET k o -> o\nD 2 5 21 DEL k -> 1", "A B", "deleted by D overwritten by B"},
		{"a swap by which no client came in tells, too", "O 3 1 2 SETNX k o -> 1\n" +
			"A 0 3 9 GETSET k a -> s\nS 1 4 20 GETSET k s -> o\nD 2 5 21 DEL k -> 1", "A",
			"deleted by D"},
		{"a script of which nothing is known", "A 0 1 2 SETNX k a -> 1\nD 1 3 4 EVAL s 1 k -> 1\n" +
			"B 2 5 6 SETNX k b -> 1", "A", "deleted by D"},
		{"a script that takes what its client has", "A 0 1 2 EVAL take 1 k a -> 1\n" +
			"C 0 3 4 EVAL take 1 k a -> 1\nD 1 5 6 DEL k -> 1", "A", "deleted by D"},
		{"a counter that another client counts up is its first writer's", "A 0 1 2 INCR k -> 1\n" +
			"C 1 3 4 INCR k -> 2\nD 2 5 6 DEL k -> 1\nB 3 7 8 INCR k -> 1", "A", "deleted by D"},
		{"replies that fit no order", "A 0 1 2 SETNX k a -> 1\nB 1 3 4 SETNX k b -> 1", "none", ""},
		{"a script that ended with an error may have deleted before", "A 0 1 2 SETNX k a -> 1\n" +
			"D 1 3 4 EVAL s 1 k -> (error) WRONGTYPE Operation\nB 2 5 6 SETNX k b -> 1", "A",
			"deleted by D"},
		{"a script that was never run", "A 0 1 2 SETNX k a -> 1\n" +
			"D 1 3 4 EVAL s 1 k -> (error) NOSCRIPT No\nB 2 5 6 SETNX k b -> 1", "none", ""},
		{"replies of an error", "A 0 1 2 SETNX k a -> (error) OOM\nB 1 3 4 SETNX k b -> 1\n" +
			"D 1 5 6 DEL k -> 1", "B", ""},
	} {
		if hits, ends := ordersOf(t, c.commands); hits != c.hits || ends != c.ends {
			t.Errorf("%s: D hits %q, A is %q; want %q, %q", c.name, hits, ends, c.hits, c.ends)
		}
	}
}

// ordersOf tells what D may have deleted, and how the value of A may have been gone.
func ordersOf(t *testing.T, text string) (hits, ends string) {
	t.Helper()
	names, q := map[*history.Command]string{nil: "older"}, Question{Empty: true}
	byName := map[string]*history.Command{}
	for i, line := range strings.Split(text, "\n") {
		call, reply, _ := strings.Cut(line, "->")
		w := strings.Fields(call)
		n := func(at int) int64 { v, _ := strconv.ParseInt(w[at], 10, 64); return v }
		m := &history.Command{Process: int(n(1)), Seq: i, Sent: n(2), Recv: n(3), Args: w[4:],
			Reply: strings.TrimSpace(reply)}
		names[m], byName[w[0]] = w[0], m
		q.Commands = append(q.Commands, m)
	}
	r := NewReader(history.Header{Scripts: map[string]history.Script{history.ScriptID("take"): {
		Does: history.ScriptTakes, Done: "1"}}})
	q.Lease = func(m *history.Command) int64 { d, _ := r.Asked(m); return d }
	q.Grants = func(m *history.Command) bool { return names[m] == "A" || names[m] == "B" }
	q.Lost = func(from, _ int64) (lost, back bool, after int64) {
		return from > 1000, from > 1000, from
	}
	o := r.Orders(q)
	if o == nil {
		return "none", ""
	}
	var victims, ways []string
	for k := range o.Hits[byName["D"]] {
		victims = append(victims, names[k])
	}
	for e := range o.Ends[byName["A"]] {
		ways = append(ways, [...]string{"deleted by " + names[e.By], "overwritten by " + names[e.By],
			"expired", "lost"}[e.How])
	}
	slices.Sort(victims)
	slices.Sort(ways)
	return strings.Join(victims, " "), strings.Join(ways, " ")
}
