package workloads

import (
	"strings"
	"testing"

	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/nemesis"
)

// TestMeanings plays clients that speak in different ways. "acquire" and "release" begin a call,
// "done" and "failed" end it; every other line is a command with its reply and, behind "|", all
// that it means: before it is sent, or as "x!" only when it was replied.
func TestMeanings(t *testing.T) {
	for name, script := range map[string]string{
		"one command each way": `
			acquire
			SET k v NX PX 9 = (nil) | on-key first-of-acquire creates-key
			SET k v NX PX 9 = OK | on-key creates-key creates-key!
			done
			PING = PONG |
			GET k = v | on-key
			release
			EVALSHA AA 1 k v = 1 | on-key first-of-release
			done
			acquire
			GET other = x |
			SET k v NX = OK | on-key first-of-acquire creates-key creates-key!
			done
			release
			EVALSHA aa 1 k v = 1 | on-key first-of-release last-of-release
			done`,
		"a command that asks whose the lock is": `
			acquire
			SET k v NX GET PX 9 = w | on-key first-of-acquire creates-key
			SET k v NX GET PX 9 = (nil) | on-key creates-key creates-key!
			EXPIRE k 9 = 1 | on-key after-creation
			done`,
		"two commands each way": `
			acquire
			SETNX k v = 0 | on-key first-of-acquire creates-key
			SETNX k v = 1 | on-key creates-key creates-key!
			EXPIRE k 9 = 1 | on-key after-creation
			done
			release
			GET k = v | on-key first-of-release
			DEL k = 1 | on-key within-release
			done
			release
			GET k = v | on-key first-of-release
			DEL k = 1 | on-key within-release last-of-release
			done`,
		"a client that looks, and takes over": `
			acquire
			SETNX k v = 0 | on-key first-of-acquire creates-key
			GET k = v | on-key reads-key
			GETSET k w = v | on-key takes-over creates-key creates-key!
			done
			GET k = w | on-key
			release
			GET k = w | on-key first-of-release
			DEL k = 1 | on-key within-release
			done
			acquire
			EXISTS k = 1 | on-key reads-key first-of-acquire
			DEL k = 1 | on-key takes-over
			SET k v = OK | on-key takes-over creates-key creates-key!
			done`,
		"commands that compare": `
			acquire
			SET k v NX PX 9 = OK | on-key first-of-acquire creates-key creates-key!
			SET k v IFEQ v PX 9 = OK | on-key after-creation
			done
			SET k v IFEQ v PX 9 = (nil) | on-key
			release
			DELIFEQ k v = 1 | on-key first-of-release
			done
			release
			DELEX k IFEQ v = 1 | on-key first-of-release last-of-release
			done`,
		"a script whose replies a call teaches": `
			acquire
			EVAL s 1 k me = 900 | on-key first-of-acquire
			EVAL s 1 k me = (nil) | on-key
			done
			acquire
			EVAL s 1 k me = 900 | on-key first-of-acquire creates-key
			EVAL s 1 k me = (nil) | on-key creates-key creates-key!
			PEXPIRE k 9 = 1 | on-key after-creation
			done`,
		"a script that the server did not know at first": `
			acquire
			EVALSHA S 1 k = (error) NOSCRIPT | on-key first-of-acquire
			EVAL s 1 k = 1 | on-key
			done
			acquire
			EVALSHA S 1 k = 1 | on-key first-of-acquire creates-key creates-key!
			done`,
		"of two scripts it is not learned which creates": `
			acquire
			EVAL s 1 k = 1 | on-key first-of-acquire
			EVAL t 1 k = 1 | on-key
			done
			acquire
			EVAL s 1 k = 1 | on-key first-of-acquire
			done`,
		"a call that fails teaches nothing": `
			acquire
			EVAL s 1 k = 900 | on-key first-of-acquire
			failed
			release
			GET k = v | on-key first-of-release
			failed
			acquire
			EVAL s 1 k = 900 | on-key first-of-acquire
			failed
			release
			GET k = v | on-key first-of-release
			failed`,
	} {
		m := &meanings{}
		m.learn()
		seq := 0
		for _, line := range strings.Split(strings.TrimSpace(script), "\n") {
			switch line = strings.TrimSpace(line); line {
			case "acquire", "release":
				m.begin(line, []string{"k"})
			case "done", "failed":
				m.end(line == "done")
			default:
				seq++
				command, want, _ := strings.Cut(line, "|")
				if got := whatItMeans(m, seq, command); got != strings.TrimSpace(want) {
					t.Errorf("%s: %s: it means %q", name, line, got)
				}
			}
		}
	}
}

// whatItMeans lets a command leave and be replied.
func whatItMeans(m *meanings, seq int, line string) string {
	words, reply, _ := strings.Cut(line, "=")
	c := history.Command{Seq: seq, Node: "n0", Args: strings.Fields(words)}
	if c.Args[0] == "EVALSHA" && c.Args[1] == "S" {
		c.Args[1] = history.ScriptID("s")
	}
	done := history.Command{Reply: strings.TrimSpace(reply)}
	all := []string{nemesis.OnKey, nemesis.ReadsKey, nemesis.TakesOver, nemesis.FirstOfAcquire,
		nemesis.CreatesKey, nemesis.AfterCreation,
		nemesis.FirstOfRelease, nemesis.WithinRelease, nemesis.LastOfRelease}
	var got []string
	for _, meaning := range all {
		if m.is(meaning, nemesis.Before, history.Command{Node: "n0", Args: c.Args}, history.Command{}) {
			got = append(got, meaning)
		}
	}
	m.sent(c)
	m.replied(c, done)
	for _, meaning := range all {
		after := m.is(meaning, nemesis.After, c, done)
		before := strings.Contains(strings.Join(got, " ")+" ", meaning+" ")
		if after && (!before || meaning == nemesis.CreatesKey) {
			got = append(got, meaning+"!")
		}
		if before && !after && meaning != nemesis.CreatesKey {
			got = append(got, meaning+"?")
		}
	}
	m.forget(c)
	return strings.Join(got, " ")
}
