package tap_test

import (
	"context"
	"net"
	"slices"
	"testing"
	"time"

	"github.com/lockbench/lockbench/internal/base/resp"
	"github.com/lockbench/lockbench/internal/env/cluster/proxy"
	"github.com/lockbench/lockbench/internal/foreign/tap"
	"github.com/lockbench/lockbench/internal/history"
)

// idle is an Observer that does nothing.
type idle struct{}

func (idle) BeforeSend(context.Context, string, []string) {}
func (idle) Sent(_ context.Context, _ string, args []string) history.Command {
	return history.Command{Args: args}
}
func (idle) Replied(context.Context, history.Command, tap.Reply) {}

// BenchmarkWays measures a command on its way to a real Redis: directly, through toxiproxy, through
// a tap, and through both as adapters go. The ways take turns, so that all see the same machine.
func BenchmarkWays(b *testing.B) {
	redis := startRedis(b)
	links, err := proxy.Start("127.0.0.1", nil, false)
	if err != nil {
		b.Fatal(err)
	}
	defer links.Close()
	link, err := links.Link("c0>n0", redis)
	if err != nil {
		b.Fatal(err)
	}
	p := tap.New(idle{}, tap.Settings{Dial: func(_ context.Context, address string) (net.Conn, error) {
		return net.Dial("tcp", address)
	}})
	defer p.Close()
	names := []string{"direct", "toxiproxy", "tap", "both"}
	var ways []*way
	for _, to := range []struct {
		address string
		tapped  bool
	}{{redis, false}, {link, false}, {redis, true}, {link, true}} {
		if to.tapped {
			if to.address, err = p.Listen(tap.Ways{Nodes: map[string]string{"n0": to.address}}); err != nil {
				b.Fatal(err)
			}
		}
		ways = append(ways, newWay(b, to.address))
	}
	for b.Loop() {
		for _, w := range ways {
			w.command(b)
		}
	}
	for i, w := range ways {
		slices.Sort(w.took)
		at := func(share float64) float64 {
			return float64(w.took[int(share*float64(len(w.took)-1))]) / float64(time.Microsecond)
		}
		b.ReportMetric(at(0.5), names[i]+"-p50-µs")
		b.ReportMetric(at(0.99), names[i]+"-p99-µs")
	}
}

// way is a connection, and how long commands took over it.
type way struct {
	net.Conn
	replies *resp.Reader
	took    []time.Duration
}

func newWay(b *testing.B, address string) *way {
	c, err := net.Dial("tcp", address)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { c.Close() })
	return &way{Conn: c, replies: resp.NewReader(c)}
}

func (w *way) command(b *testing.B) {
	var out resp.Writer
	out.Command("SET", "lock:0", "6f1d2a0b8c", "PX", "2000")
	begin := time.Now()
	_, err := w.Write(out.B)
	if err == nil {
		_, err = w.replies.Reply()
	}
	if err != nil {
		b.Fatal(err)
	}
	w.took = append(w.took, time.Since(begin))
}
