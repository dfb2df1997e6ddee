package checker

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/anishathalye/porcupine"

	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/history/edn"
)

// TestManyUpdates judges more reads and writes than porcupine can take at once: as those of a
// register, and as critical sections that must not lose an update.
func TestManyUpdates(t *testing.T) {
	const sections = 70_000
	for _, c := range []struct {
		name  string
		stale int64 // how far behind the last section's read is
		want  Result
		says  string
	}{
		{"none lost", 0, Valid, ""},
		{"the last one lost", 1, Violated, "the two updates of resource 0 is lost"},
	} {
		h := counting(sections, c.stale)
		p := Check(h, nil, Options{Properties: []string{"U"}}).Properties[0]
		if p.Verdict != c.want || !strings.Contains(p.Explanation, c.says) {
			t.Errorf("%s: U %s (%s), want %s\n%s", c.name, p.Verdict, p.Reason, c.want, p.Explanation)
		}
		last := len(h.Events) - 1
		h.Events = append(h.Events[:last-2], h.Events[last]) // values that return need a search
		v := Check(h, nil, Options{Model: "register"})
		p = v.Properties[0]
		if want := c.says != ""; p.Verdict != c.want || want != (p.Explanation != "") {
			t.Errorf("%s: register %s, want %s\n%s", c.name, p.Verdict, c.want, p.Explanation)
		}
		if v.Porcupine.Operations != 0 {
			t.Errorf("%s: porcupine was asked about %d operations", c.name, v.Porcupine.Operations)
		}
	}
}

// counting is a history of sections that count one after the other; the last one reads a value that
// is behind.
func counting(sections int, behind int64) *history.History {
	h := &history.History{Header: history.Header{Environment: "test"}}
	now := int64(0)
	add := func(typ history.Type, f string, n int, value int64) {
		now++
		h.Events = append(h.Events, history.Event{Type: typ, T: now, Process: n % 3, F: f, N: n,
			Value: history.Ptr(value)})
	}
	add(history.Invoke, history.Acquire, 0, 0)
	add(history.OK, history.Acquire, 0, 0)
	for n := range sections {
		value := int64(n)
		if n == sections-1 {
			value -= behind
		}
		add(history.Invoke, history.ReadOp, n, value)
		add(history.OK, history.ReadOp, n, value)
		add(history.Invoke, history.WriteOp, n, value+1)
		add(history.OK, history.WriteOp, n, value+1)
	}
	h.Events = append(h.Events, history.Event{Type: history.End, T: now + 1,
		Process: history.Harness})
	return h
}

// TestCompareAndSetsAgainstPorcupine judges random histories of a register and lets porcupine judge
// them by a model that is written down again here: what is legal is valid, and what is not is
// violated.
func TestCompareAndSetsAgainstPorcupine(t *testing.T) {
	const rounds = 4000
	legal := 0
	for seed := range uint64(rounds) {
		h, ops := registerHistory(rand.New(rand.NewPCG(seed, 37)))
		want := Violated
		if porcupine.CheckOperations(casRegister, ops) {
			want = Valid
			legal++
		}
		v := Check(h, nil, Options{Model: "register"})
		if v.Evidence.Observed == 0 {
			continue
		}
		if v.Verdict != want {
			t.Fatalf("seed %d: %s (%s), porcupine says %s\n%+v", seed, v.Verdict, v.Summary, want, ops)
		}
	}
	if t.Logf("%d of %d legal", legal, rounds); legal < rounds/10 || legal > rounds*9/10 {
		t.Errorf("%d of %d legal: the histories say little", legal, rounds)
	}
}

// casCall is what a client asked of a register and was told.
type casCall struct {
	f          string
	old, value int
	answer     history.Type
}

// casRegister is a register that holds anything at first (-1). A call that failed had no effect.
var casRegister = porcupine.Model{
	Init: func() any { return -1 },
	Step: func(state, input, _ any) (bool, any) {
		now, c := state.(int), input.(casCall)
		fits := now == -1 || now == c.old
		switch {
		case c.answer == history.Fail || c.f == history.ReadOp && c.answer == history.Info:
			return true, now
		case c.f == history.ReadOp:
			return now == -1 || now == c.value, c.value
		case c.f == history.WriteOp || fits:
			return true, c.value
		}
		return c.answer == history.Info, now
	},
}

// registerHistory lets three clients use a register of few values that mostly answers rightly.
func registerHistory(r *rand.Rand) (*history.History, []porcupine.Operation) {
	h := &history.History{Header: history.Header{Environment: ""}}
	var ops []porcupine.Operation
	value, busy := r.IntN(3), [3]int64{}
	for at := int64(1); len(ops) < 4+r.IntN(12); at += 1 + r.Int64N(3) {
		process := r.IntN(3)
		c := casCall{[]string{history.ReadOp, history.WriteOp, history.CasOp}[r.IntN(3)], r.IntN(3),
			r.IntN(3), history.OK}
		from := max(at-r.Int64N(6), busy[process]+1)
		to := max(at, from) + r.Int64N(6)
		switch now := value; {
		case r.IntN(8) == 0:
			c.answer = history.Info
			if r.IntN(2) == 0 && c.f != history.ReadOp && (c.f == history.WriteOp || c.old == now) {
				value = c.value
			}
		case c.f == history.ReadOp && r.IntN(15) > 0:
			c.value = now
		case c.f == history.CasOp && c.old != now && r.IntN(15) > 0:
			c.answer = history.Fail
		case c.f != history.ReadOp:
			value = c.value
		}
		busy[process] = to
		h.Events = append(h.Events, c.event(history.Invoke, from, process),
			c.event(c.answer, to, process))
		if c.answer == history.Info {
			to = math.MaxInt64 / 2
		}
		ops = append(ops, porcupine.Operation{ClientId: process, Input: c, Call: from, Return: to})
	}
	h.Sort()
	h.Events = append(h.Events, history.Event{Type: history.End, T: math.MaxInt32,
		Process: history.Harness})
	return h, ops
}

func (c casCall) event(typ history.Type, at int64, process int) history.Event {
	e := history.Event{Type: typ, T: at, Process: process, F: c.f, Value: history.Ptr(int64(c.value))}
	if c.f == history.CasOp {
		e.If = history.Ptr(int64(c.old))
	}
	return e
}

// TestPorcupinesOwnLogs judges the logs of etcd that Porcupine brings with it, by the file for such
// lines in docs/formats.md, and compares with what Porcupine's tests expect of each.
func TestPorcupinesOwnLogs(t *testing.T) {
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}",
		"github.com/anishathalye/porcupine").Output()
	tests, unread := os.ReadFile(filepath.Join(strings.TrimSpace(string(dir)), "porcupine_test.go"))
	if err != nil || unread != nil {
		t.Skip("the sources of porcupine are not here:", err, unread)
	}
	lines, err := edn.ReadLines("porcupine.yaml", documentedLines(t))
	if err != nil {
		t.Fatal(err)
	}
	expected := regexp.MustCompile(`checkJepsen\(t, (\d+), (true|false)\)`).FindAllSubmatch(tests, -1)
	for _, m := range expected {
		n, _ := strconv.Atoi(string(m[1]))
		f, err := os.Open(filepath.Join(strings.TrimSpace(string(dir)), "test_data", "jepsen",
			fmt.Sprintf("etcd_%03d.log", n)))
		if err != nil {
			t.Fatal(err)
		}
		h, err := edn.Read(f, edn.Options{Lines: lines})
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]Result{"true": Valid, "false": Violated}[string(m[2])]
		if v := Check(h, nil, Options{Model: "register"}); v.Verdict != want {
			t.Errorf("log %d: %s (%s), want %s", n, v.Verdict, v.Summary, want)
		}
	}
	if len(expected) < 100 {
		t.Errorf("porcupine's tests expect something of %d logs", len(expected))
	}
}

// documentedLines is the first file for --lines in docs/formats.md.
func documentedLines(t *testing.T) []byte {
	page, err := os.ReadFile("../docs/formats.md")
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := bytes.Cut(page, []byte("```yaml\n# Jepsen's log"))
	file, _, found := bytes.Cut(after, []byte("```"))
	if !found {
		t.Fatal("docs/formats.md has no file for Jepsen's log")
	}
	return append([]byte("#"), file...)
}
