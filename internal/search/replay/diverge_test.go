package replay

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/lockbench/lockbench/internal/dev/testenv"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/search/explore/counterexample"
)

// kept reads a counterexample of the corpus.
func keptCase(t *testing.T, name string) *counterexample.Counterexample {
	t.Helper()
	c, err := counterexample.ReadFile(filepath.Join("../explore", "testdata", "corpus",
		name+".yaml"))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// stepOf is the number of the n-th step for which is holds, from 0.
func stepOf(t *testing.T, c *counterexample.Counterexample, n int,
	is func(counterexample.Step) bool) int {
	t.Helper()
	for i, s := range c.Steps {
		if is(s) {
			if n--; n == 0 {
				return i
			}
		}
	}
	t.Fatal("there is no such step")
	return 0
}

// TestPlantedDivergence changes one thing in a good counterexample and wants to be told at which
// step it shows.
func TestPlantedDivergence(t *testing.T) {
	testenv.Part(t, "redis")
	of := func(kind counterexample.Kind) func(counterexample.Step) bool {
		return func(s counterexample.Step) bool { return s.Kind == kind }
	}
	for _, x := range []struct {
		name, got string
		plant     func(t *testing.T, c *counterexample.Counterexample) (step int)
	}{
		{"a command", "sends to n0: SET lock:0",
			func(t *testing.T, c *counterexample.Counterexample) int {
				i := stepOf(t, c, 2, of(counterexample.Send))
				c.Steps[i].Command = strings.Replace(c.Steps[i].Command, "lock:0", "lock:1", 1)
				return i
			}},
		{"a command that is executed", "has sent to n0: SET lock:0",
			func(t *testing.T, c *counterexample.Counterexample) int {
				i := stepOf(t, c, 2, of(counterexample.Exec))
				c.Steps[i].Command += " XX"
				c.Steps[i].Seq = 1
				return i
			}},
		{"a reply", "the reply (nil)", func(t *testing.T, c *counterexample.Counterexample) int {
			i := stepOf(t, c, 2, of(counterexample.Exec))
			c.Steps[i].Reply = "OK"
			return i
		}},
		{"what a client receives", "the reply OK",
			func(t *testing.T, c *counterexample.Counterexample) int {
				i := stepOf(t, c, 1, of(counterexample.Recv))
				c.Steps[i].Reply = "(nil)"
				return i
			}},
		{"the order", "the reply OK", func(t *testing.T, c *counterexample.Counterexample) int {
			i, k := stepOf(t, c, 1, of(counterexample.Exec)), stepOf(t, c, 2, of(counterexample.Exec))
			c.Steps[i], c.Steps[k] = c.Steps[k], c.Steps[i]
			c.Steps[i].At, c.Steps[k].At = c.Steps[k].At, c.Steps[i].At
			return i
		}},
		{"a client's phase", "granted 1", func(t *testing.T, c *counterexample.Counterexample) int {
			i := stepOf(t, c, 1, func(s counterexample.Step) bool {
				return s.Phase == counterexample.Granted
			})
			c.Steps[i].Phase = counterexample.Refused
			return i
		}},
	} {
		t.Run(x.name, func(t *testing.T) {
			c := keptCase(t, "token-lua-pause-long-S")
			step := x.plant(t, c)
			o := replayed(t, c, 1)
			skipTooSlow(t, o)
			if o.Confirmed || o.TooSlow || o.Step != step+1 || !strings.Contains(o.Got, x.got) {
				t.Errorf("planted at step %d: %s\n%s", step+1, o, c.Steps[step])
			}
			nothingLeft(t)
		})
	}
}

// TestReplayIsInterrupted wants nothing to be left of a replay that is stopped in the middle of a
// fault.
func TestReplayIsInterrupted(t *testing.T) {
	testenv.Part(t, "redis")
	c := keptCase(t, "token-lua-pause-long-S")
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	time.AfterFunc(600*time.Millisecond, stop)
	if o, err := onServers(ctx, c, 1, here(t)); err == nil {
		t.Errorf("it was not interrupted: %s", o)
	}
	nothingLeft(t)
}

// nothingLeft wants this process to have no children.
func nothingLeft(t *testing.T) {
	t.Helper()
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	var left []string
	for _, name := range stats {
		b, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		_, rest, _ := strings.Cut(string(b), ") ")
		if f := strings.Fields(rest); len(f) > 1 && f[1] == fmt.Sprint(os.Getpid()) {
			left = append(left, string(b[:min(len(b), 40)]))
		}
	}
	if len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestWhatIsNotReplayable wants the reason before anything is started.
func TestWhatIsNotReplayable(t *testing.T) {
	c := keptCase(t, "token-lua-pause-long-S")
	for _, x := range []struct {
		change func()
		want   string
	}{
		{func() { c.Plan.Topology = "sentinel" }, "sentinels"},
		{func() { c.Plan.Topology = "single"; c.Plan.WaitReplicas = 1 }, "--wait-replicas"},
		{func() { c.Plan.WaitReplicas = 0; c.Plan.TTL = 4_000_000 }, "a lease of 4ms"},
		{func() { c.Plan.ClientRetries = 2 }, "--client-retries"},
		{func() {
			c.Plan.ClientRetries, c.Plan.TTL = 0, 1_000_000_000
			for i := range mostSteps + 1 {
				c.Steps = append(c.Steps, counterexample.Step{At: history.Duration(i) * 900_000})
			}
		}, "more than 1000 steps in a second"},
		{func() {
			c.Steps = append(c.Steps[:0:0],
				counterexample.Step{Kind: counterexample.Exec, Client: 0, Command: "subscribe l"},
				counterexample.Step{Kind: counterexample.Recv, Client: 0, Seq: 9, Reply: "0"})
		}, "last millisecond"},
		{func() {
			c.Plan.Adapter = &harness.Adapter{Name: "mine"}
			c.Steps = append(c.Steps[:0:0], at(0, counterexample.Exec, 1, "SET l a NX PX 1000"),
				at(999_500, counterexample.Exec, 2, "SET l b NX PX 1000"))
			c.Steps[0].Reply = "OK"
		}, "a library acts at its own time"},
	} {
		x.change()
		_, err := Run(t.Context(), c, Options{Environment: "process", Times: 1,
			Dir: func() (string, error) {
				t.Error("a directory was made")
				return "", nil
			}})
		if err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%v does not name %s", err, x.want)
		}
	}
}

// TestMatcher wants owner values and readings of clocks to stand for each other, and nothing else.
func TestMatcher(t *testing.T) {
	a, b, z := strings.Repeat("a", 40), strings.Repeat("b", 40), strings.Repeat("0", 40)
	type exchange struct {
		recorded string
		words    []string
		want     bool
	}
	for _, x := range []struct {
		name string
		late time.Duration
		all  []exchange
	}{
		{"the same", 0, []exchange{{"DEL lock:0", []string{"DEL", "lock:0"}, true}}},
		{"another word", 0, []exchange{{"DEL lock:0", []string{"DEL", "lock:1"}, false},
			{"DEL lock:0", []string{"DEL"}, false}}},
		{"owners", 0, []exchange{
			{"SET l " + a, []string{"SET", "l", z}, true},
			{"SET l " + a, []string{"SET", "l", z}, true},
			{"SET l " + a, []string{"SET", "l", b}, false},
			{"SET l " + b, []string{"SET", "l", z}, false},
		}},
		{"readings", 0, []exchange{
			{"SETNX l 946684801000", []string{"SETNX", "l", "1795000001000"}, true},
			{"SETNX l 946684802000", []string{"SETNX", "l", "1795000002040"}, true},
			{"SETNX l 946684803000", []string{"SETNX", "l", "1795000009000"}, false},
		}},
		{"readings in a replay that is behind", 100 * time.Millisecond, []exchange{
			{"SETNX l 946684801000", []string{"SETNX", "l", "1795000001000"}, true},
			{"SETNX l 946684802000", []string{"SETNX", "l", "1795000002240"}, true},
			{"SETNX l 946684803000", []string{"SETNX", "l", "1795000003260"}, false},
		}},
		{"readings in seconds", 0, []exchange{
			{"SETNX l 946684801.5", []string{"SETNX", "l", "1795000001.5"}, true},
			{"SETNX l 946684802.5", []string{"SETNX", "l", "1795000004.5"}, false},
		}},
	} {
		m := newMatcher(harness.Plan{TTL: history.Duration(time.Second)})
		m.late = x.late
		for _, e := range x.all {
			if got := m.command(e.recorded, e.words); got != e.want {
				t.Errorf("%s: %s, %v: %v", x.name, e.recorded, e.words, got)
			}
		}
	}
}

// TestMatcherOfLibraries wants owner values of any form to stand for each other, and the command,
// the script and short words to be as recorded.
func TestMatcherOfLibraries(t *testing.T) {
	m := newMatcher(harness.Plan{TTL: history.Duration(time.Second), Adapter: &harness.Adapter{}})
	for _, x := range []struct {
		recorded string
		words    []string
		want     bool
	}{
		{"SET l c9770517e55f9c85 NX", []string{"SET", "l", "0123456789abcdef", "NX"}, true},
		{"SET l c9770517e55f9c85 NX", []string{"SET", "l", "0123456789abcdef", "XX"}, false},
		{"SET l c9770517e55f9c85 NX", []string{"SET", "l", "fedcba9876543210", "NX"}, false},
		{"SET l 1fb66ba2fd842443 NX", []string{"SET", "l", "0123456789abcdef", "NX"}, false},
		{"EVALSHA 6b1bf486c81c 1 l", []string{"EVALSHA", "77d01a2b3c4d", "1", "l"}, false},
		{"EVALSHA 6b1bf486c81c 1 l c9770517e55f9c85",
			[]string{"EVALSHA", "6b1bf486c81c", "1", "l", "0123456789abcdef"}, true},
		{"SUBSCRIBE l", []string{"PUBLISHES", "l"}, false},
		{"ZADD l 946684801000 a", []string{"ZADD", "l", "1795000001000", "a"}, true},
		{"ZADD l 946684802000 a", []string{"ZADD", "l", "1795000007000", "a"}, false},
	} {
		if got := m.command(x.recorded, x.words); got != x.want {
			t.Errorf("%s, %v: %v", x.recorded, x.words, got)
		}
	}
	own := newMatcher(harness.Plan{TTL: history.Duration(time.Second)})
	if own.command("SET l c9770517e55f9c85", []string{"SET", "l", "0123456789abcdef"}) {
		t.Error("our own locks have owner values of another form")
	}
}

// TestMatcherOfReplies wants to read back what was written, and the rest of a lease with some
// tolerance.
func TestMatcherOfReplies(t *testing.T) {
	m := newMatcher(harness.Plan{TTL: history.Duration(time.Second)})
	a, z := strings.Repeat("a", 40), strings.Repeat("0", 40)
	m.command("SET l "+a, []string{"SET", "l", z})
	m.command("SETNX l 946684801000", []string{"SETNX", "l", "1795000001000"})
	acquire := []string{"EVAL", "return redis.call('pttl', KEYS[1])"}
	for _, x := range []struct {
		command    []string
		want, have string
		same       bool
	}{
		{[]string{"GET", "l"}, a, z, true},
		{[]string{"GET", "l"}, a, a, false},
		{[]string{"GET", "l"}, "946684801000", "1795000001000", true},
		{[]string{"GET", "l"}, "946684801000", "1795000001001", false},
		{[]string{"GET", "l"}, "946684801000", "(nil)", false},
		{[]string{"DEL", "l"}, "1", "0", false},
		{acquire, "900", "870", true},
		{acquire, "900", "300", false},
		{acquire, "900", "(nil)", false},
		{acquire, "[900 -1]", "[890 -1]", true},
		{acquire, "[-1 1]", "[-1 2]", false},
		{[]string{"GET", "l"}, "900", "870", false},
		{[]string{"GET", "l"}, "(error) ERR a b", "(error) ERR a b", true},
	} {
		if got := m.reply(x.command, x.want, x.have); got != x.same {
			t.Errorf("%v: %s, %s: %v", x.command[0], x.want, x.have, got)
		}
	}
}
