package checker

import (
	"testing"

	"github.com/lockbench/lockbench/internal/history"
)

// TestAnExtensionThatTheServerRefutes is the renewal of python-redis-lock, whose script answers 1
// where it is not the owner's: client 0's lease was over when client 1 was granted the lock, and no
// two leases were valid at once.
func TestAnExtensionThatTheServerRefutes(t *testing.T) {
	const told = "lease; names k; c0 acquire 10 20 sent=12 lease=50 node=n0; " +
		"c1 acquire 70 90 sent=80 lease=100 node=n0; c0 extend 97 sent=95 lease=100; " +
		"c0 release 150 160 fail; c1 release 170 180"
	renewal := func(effects ...[]string) []history.Command {
		return []history.Command{
			{Process: 0, Seq: 1, N: 1, Node: "n0", Sent: 12, Recv: 15, Reply: "OK",
				Args: []string{"SET", "k", "a", "NX", "PX", "50"}},
			{Process: 1, Seq: 1, N: 1, Node: "n0", Sent: 80, Recv: 85, Reply: "OK",
				Args: []string{"SET", "k", "b", "NX", "PX", "100"}},
			{Process: 0, Seq: 2, N: 1, Node: "n0", Sent: 95, Recv: 96, Reply: "1", Effects: effects,
				Args: []string{"EVALSHA", "fed1", "1", "k", "a", "1"}},
		}
	}
	get, expire := []string{"get", "k"}, []string{"expire", "k", "1"}
	for _, c := range []struct {
		name    string
		effects [][]string
		want    Result // of L
	}{
		{"it did nothing", [][]string{get}, Valid},
		{"it did nothing to this key", [][]string{get, {"expire", "other", "1"}}, Valid},
		{"it prolonged the lease", [][]string{get, expire}, Violated},
		{"the node did not show it", nil, Violated},
	} {
		v := Check(story(t, told), renewal(c.effects...), Options{Properties: []string{"S", "L"}})
		for _, p := range v.Properties {
			want := c.want
			if p.Property == "S" {
				want = Violated
			}
			if p.Verdict != want {
				t.Errorf("%s: %s is %s, want %s: %s%s", c.name, p.Property, p.Verdict, want, p.Explanation,
					p.Reason)
			}
		}
	}
	// what another command did, or another client's, refutes nothing
	for name, change := range map[string]func(*history.Command){
		"another command":  func(m *history.Command) { m.Sent = 94 },
		"another client's": func(m *history.Command) { m.Process = 2 },
		"its own":          func(m *history.Command) { m.Sent = 95 },
	} {
		commands := renewal(get)
		change(&commands[2])
		v := Check(story(t, told), commands, Options{Properties: []string{"L"}})
		if got := v.Properties[0].Verdict; (got == Valid) != (name == "its own") {
			t.Errorf("%s: L is %s", name, got)
		}
	}
}
