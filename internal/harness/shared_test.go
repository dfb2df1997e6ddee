package harness

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/nemesis"
	"github.com/lockbench/lockbench/workloads"
)

// orders is an environment that notes what is sent to clients.
type orders []string

func (o *orders) Name() string                { return "orders" }
func (o *orders) Versions() map[string]string { return nil }
func (o *orders) Now() int64                  { return 0 }
func (o *orders) Send(client int, order workloads.Order) {
	*o = append(*o, fmt.Sprintf("%s c%d", order.Do, client))
}
func (o *orders) Next(context.Context, int64) (workloads.Report, bool) {
	return workloads.Report{}, false
}

// TestAnotherThatShares: client 0 holds the lock and was struck, and another is awaited inside. One
// that shares the lock with it says nothing of the strike: it goes on, and is awaited again.
func TestAnotherThatShares(t *testing.T) {
	const shared, exclusive = history.Shared, ""
	for _, c := range []struct {
		name   string
		struck string
		came   string
		key    int
		stops  bool
	}{
		{"a reader beside a reader", shared, shared, 0, false},
		{"a writer beside a reader", shared, exclusive, 0, true},
		{"a reader beside a writer", exclusive, shared, 0, true},
		{"a writer beside a writer", exclusive, exclusive, 0, true},
		{"a reader of another lock", shared, shared, 1, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			var sent orders
			all := &clients{environment: &sent, all: newClients(2)}
			all.all[0].next.Mode, all.all[1].next.Mode = c.struck, c.came
			n := breakpoints{clients: all}
			n.next(1, nemesis.Await{Client: nemesis.Other, Phase: nemesis.Granted})
			if want := (orders{"arm c1"}); !slices.Equal(sent, want) {
				t.Fatalf("sent %q, want %q", sent, want)
			}
			sent = nil
			n.came(1, workloads.BreakpointHit{ID: n.latest, Key: c.key})
			if stops := n.stopped != nil; stops != c.stops {
				t.Errorf("it stops: %v, want %v", stops, c.stops)
			}
			if want := (orders{"go c1", "arm c1"}); !c.stops && !slices.Equal(sent, want) {
				t.Errorf("sent %q, want %q", sent, want)
			}
		})
	}
}
