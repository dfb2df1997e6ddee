package tap_test

import (
	"context"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/lockbench/lockbench/internal/base/resp"
	"github.com/lockbench/lockbench/internal/foreign/tap"
	"github.com/lockbench/lockbench/internal/history"
)

// heard is an Observer that keeps commands with their replies.
type heard struct {
	mu  sync.Mutex
	all []string
}

func (*heard) BeforeSend(context.Context, string, []string) {}
func (*heard) Sent(_ context.Context, _ string, args []string) history.Command {
	return history.Command{Args: args}
}
func (h *heard) Replied(_ context.Context, c history.Command, r tap.Reply) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.all = append(h.all, c.String()+": "+r.Text)
}

// TestRESP3 talks RESP3 with a real Redis through a tap: maps, nulls, pushes in between, a command
// that blocks, and a transaction.
func TestRESP3(t *testing.T) {
	t.Parallel()
	h := &heard{}
	p := tap.New(h, tap.Settings{Dial: func(_ context.Context, address string) (net.Conn, error) {
		return net.Dial("tcp", address)
	}})
	t.Cleanup(p.Close)
	address, err := p.Listen(tap.Ways{Nodes: map[string]string{"n0": startRedis(t)}})
	if err != nil {
		t.Fatal(err)
	}
	say := func() func(commands string, replies ...string) {
		c, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		r := resp.NewReader(c)
		return func(commands string, replies ...string) {
			var w resp.Writer
			for _, line := range strings.Split(commands, "; ") {
				if words := strings.Fields(line); len(words) > 0 {
					w.Command(words...)
				}
			}
			if _, err := c.Write(w.B); err != nil {
				t.Fatal(err)
			}
			for _, want := range replies {
				wire, err := r.Reply()
				if got := resp.Text(wire); err != nil || want != "*" && got != want {
					t.Fatalf("%q: %q, not %q: %v", commands, got, want, err)
				}
			}
		}
	}
	one, other := say(), say()
	one("HELLO 3; HSET h a 1; HGETALL h; GET none", "*", "1", "[a 1]", "(nil)")
	one("CLIENT TRACKING ON; GET k; SUBSCRIBE c d", "OK", "(nil)", "[subscribe c 1]",
		"[subscribe d 2]")
	other("SET k v; PUBLISH c x", "OK", "1")
	one("", "[invalidate [k]]", "[message c x]")
	one("GET k; UNSUBSCRIBE", "v", "*", "*")
	one("BLPOP l 0")
	other("LPUSH l x", "1")
	one("", "[l x]")
	one("WATCH k; MULTI; SET k w; GET k; EXEC", "OK", "OK", "QUEUED", "QUEUED",
		"[OK w]", "[invalidate [k]]")
	h.mu.Lock()
	defer h.mu.Unlock()
	want := []string{"HSET h a 1: 1", "HGETALL h: [a 1]", "GET none: (nil)", "GET k: (nil)",
		"SET k v: OK", "PUBLISH c x: 1", "GET k: v", "LPUSH l x: 1", "BLPOP l 0: [l x]", "WATCH k: OK",
		"MULTI: OK", "SET k w: OK", "GET k: w", "EXEC: [OK w]"}
	got := slices.Clone(h.all)
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("the trace is\n%s", strings.Join(h.all, "\n"))
	}
}
