package trace

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/lockbench/lockbench/internal/history"
)

// TestReadsNeedNoOrder compares the orders that a search finds when it takes each read as soon as
// it can with those that it finds when it tries it everywhere, as it does for the commands of
// First. The commands are those of drawn executions, with and without leases, faults and replies.
func TestReadsNeedNoOrder(t *testing.T) {
	r := NewReader(history.Header{})
	for seed := range uint64(3000) {
		q := drawnQuestion(seed)
		few := r.Orders(q)
		q.First = q.Commands
		every := r.Orders(q)
		if few == nil || every == nil || !reflect.DeepEqual(few.Hits, every.Hits) ||
			!reflect.DeepEqual(few.Ends, every.Ends) {
			t.Errorf("seed %d: %v, not %v", seed, few, every)
		}
	}
}

// TestManyReadsAtOnce: without that, thirty refusals at once have too many orders.
func TestManyReadsAtOnce(t *testing.T) {
	lines := []string{"A 0 1 2 SETNX k a -> 1"}
	for i := range 30 {
		lines = append(lines, fmt.Sprintf("R %d %d 90 SETNX k r -> 0", 10+i, 3+i))
	}
	lines = append(lines, "D 1 95 96 DEL k -> 1", "B 2 97 98 SETNX k b -> 1")
	if hits, ends := ordersOf(t, strings.Join(lines, "\n")); hits != "A" || ends != "deleted by D" {
		t.Errorf("D hits %q, A is %q", hits, ends)
	}
}

// drawnQuestion asks about commands that were executed ten ticks apart, each some ticks after it
// was sent and before it was answered.
func drawnQuestion(seed uint64) Question {
	r, lease := rand.New(rand.NewPCG(seed, 0)), seed%3 == 0
	q := Question{Empty: true, Grants: func(*history.Command) bool { return false },
		Lost: func(from, to int64) (lost, back bool, after int64) {
			return seed%5 == 0 && to > 60, false, from
		},
		Lease: func(m *history.Command) int64 {
			if lease && m.Args[0] == "SET" {
				return 45
			}
			return 0
		}}
	const none = "(nil)"
	value, over := "", int64(0)
	for i := range 4 + r.IntN(6) {
		now := int64(100 + 10*i)
		if value != "" && lease && now >= over {
			value = ""
		}
		m := &history.Command{Process: i, Sent: now - r.Int64N(40), Recv: now + r.Int64N(40)}
		switch mine := string(rune('a' + i)); r.IntN(3) {
		case 0:
			m.Args, m.Reply = []string{"SET", "k", mine, "NX"}, none
			if value == "" {
				value, over, m.Reply = mine, now+45, "OK"
			}
		case 1:
			m.Args, m.Reply = []string{"GET", "k"}, cmp.Or(value, none)
		case 2:
			m.Args, m.Reply = []string{"DEL", "k"}, "0"
			if value != "" {
				value, m.Reply = "", "1"
			}
		}
		if r.IntN(6) == 0 {
			m.Recv, m.Reply = 0, ""
		}
		q.Commands = append(q.Commands, m)
	}
	slices.SortStableFunc(q.Commands, func(a, b *history.Command) int {
		return cmp.Compare(a.Sent, b.Sent)
	})
	return q
}
