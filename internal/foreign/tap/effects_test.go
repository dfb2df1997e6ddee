package tap_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lockbench/lockbench/checker/trace"
	"github.com/lockbench/lockbench/impls"
	"github.com/lockbench/lockbench/internal/env/cluster/server"
	"github.com/lockbench/lockbench/internal/foreign/tap"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/redis/go-redis/v9"
)

// stream is what a node shows of its commands.
type stream struct {
	address string
	read    func() []history.NodeCommand
}

// simulated is a Redis of the simulator that shows what it does.
func simulated(t *testing.T) stream {
	var mu sync.Mutex
	var all []history.NodeCommand
	return stream{tap.Shown(t, func(line string) {
		mu.Lock()
		defer mu.Unlock()
		all = append(all, history.NodeCommand{T: time.Now().UnixNano(), Line: line})
	}), func() []history.NodeCommand {
		mu.Lock()
		defer mu.Unlock()
		return all
	}}
}

// monitored is a real Redis that shows what it does.
func monitored(t *testing.T) stream {
	address, file := startRedis(t), filepath.Join(t.TempDir(), "n0.jsonl")
	m, err := server.Monitor(address, file)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	last := redis.NewClient(&redis.Options{Addr: address, DisableIdentity: true})
	t.Cleanup(func() { last.Close() })
	return stream{address, func() (all []history.NodeCommand) {
		for line := range strings.Lines(until(t, file, last.Echo(t.Context(), "the last command"))) {
			var c history.NodeCommand
			if json.Unmarshal([]byte(line), &c) == nil {
				c.T = time.Now().UnixNano() // the stamps of the test are of another clock
				all = append(all, c)
			}
		}
		return all
	}}
}

// until returns what a file says before a command that a node has executed, and waits for it.
func until(t *testing.T, file string, c *redis.StringCmd) string {
	t.Helper()
	for c.Err() == nil {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if said, _, found := strings.Cut(string(b), c.Val()); found {
			return said
		}
		time.Sleep(time.Millisecond)
	}
	t.Fatal(c.Err())
	return ""
}

// TestScriptsDoWhatLocksDeclare runs every lock with scripts, and wants what the node showed of
// them to say the same as what the lock declares: who took, was denied, deleted.
func TestScriptsDoWhatLocksDeclare(t *testing.T) {
	for name, node := range map[string]func(*testing.T) stream{"simulated": simulated,
		"real": monitored} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, l := range impls.All() {
				if len(l.Scripts) > 0 && l.Topology != impls.Independent {
					s := node(t)
					declaredAndSeen(t, l, bothSee(t, []string{s.address}, l, "", 0), s.read())
				}
			}
		})
	}
}

func declaredAndSeen(t *testing.T, l impls.Entry, commands []history.Command,
	shown []history.NodeCommand) {
	declared := history.Header{Scripts: map[string]history.Script{}}
	for _, s := range l.Scripts {
		declared.Scripts[history.ScriptID(s.Text)] = history.Script{Does: s.Does, Done: s.Done,
			Refused: s.Refused}
	}
	says := trace.New(declared, nil, commands)
	lines := trace.Observe(history.Header{}, commands, map[string][]history.NodeCommand{"n0": shown})
	if len(trace.Observe(declared, commands, map[string][]history.NodeCommand{"n0": shown})) > 0 {
		t.Errorf("%s: what its scripts do is declared, and observed nevertheless", l.Name)
	}
	seen := append([]history.Command(nil), commands...)
	for i := range seen {
		for _, x := range lines {
			if x.Process == seen[i].Process && x.Seq == seen[i].Seq {
				seen[i].Effects = x.Effects
			}
		}
	}
	shows := trace.New(history.Header{}, nil, seen)
	for i := range commands {
		c, m := &commands[i], &seen[i]
		if !says.Declared(c) {
			continue
		}
		if len(m.Effects) == 0 && !strings.HasPrefix(m.Reply, "(error) NOSCRIPT") {
			// all clients of this one send the same: which came first of two at once is not known
			if l.Name != "setnx-expire-lua-as-posted" {
				t.Errorf("%s: it is not known what %.80q did", l.Name, m.Args)
			}
			continue
		}
		for what, is := range map[string][2]bool{
			"takes":            {says.Takes(c), shows.Takes(m)},
			"denied":           {says.Denied(c), shows.Denied(m)},
			"deleted":          {says.Deleted(c), shows.Deleted(m)},
			"may have deleted": {says.MayHaveDeleted(c), shows.MayHaveDeleted(m)},
		} {
			if is[0] != is[1] {
				t.Errorf("%s: %s: %v is declared, and %v was seen of %q: %s, %q", l.Name, what, is[0], is[1],
					m.Args[2:], m.Reply, m.Effects)
			}
		}
	}
}
