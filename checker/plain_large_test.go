package checker

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/lockbench/lockbench/checker/linear/lineartest"
	"github.com/lockbench/lockbench/internal/dev/testenv"
	"github.com/lockbench/lockbench/internal/history"
)

// document is the whole verdict without the one number that a clock has made.
func document(t *testing.T, v *Verdict) string {
	t.Helper()
	v.Porcupine.Took = 0
	var b bytes.Buffer
	if err := v.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// plainly judges a history while it is read, and as a whole, and reports whether it is a plain one.
// The documents must be the same.
func plainly(t *testing.T, h *history.History, o Options) bool {
	t.Helper()
	h.Sort()
	p := NewPlain(h.Header, o)
	for i := range h.Events {
		e := h.Events[i] // it is only valid during the call
		more := p.Add(&e)
		e = history.Event{}
		if !more {
			break
		}
	}
	v := p.Verdict()
	if v == nil {
		return false
	}
	if d := cmp.Diff(document(t, Check(h, nil, o)), document(t, v)); d != "" {
		t.Fatalf("%+v (-whole +plain):\n%s\n%+v", o, d, h.Events)
	}
	return true
}

// asking are the letters that may be asked for.
var asking = [][]string{nil, {"S"}, {"L"}, {"L", "S"}}

// TestPlain compares with Check on histories of all sorts, and wants that those that are plain are
// not left to it.
func TestPlain(t *testing.T) {
	for kind, set := range environmentKinds {
		plain := 0
		n := lineartest.Rounds(testenv.Large(500, 60), 100_000)
		for seed := range n {
			w := newEnvironment(uint64(seed), 2+seed%4, 4+seed%40)
			set(w)
			h := w.run()
			w.disturb()
			if plainly(t, h, Options{Properties: asking[seed%4]}) {
				plain++
			}
		}
		t.Logf("%s: %d of %d are plain", kind, plain, n)
		if (kind == "correct" || kind == "lossy") && plain < n/8 {
			t.Errorf("%s: only %d of %d histories are plain", kind, plain, n)
		}
	}
}

// disturb adds what a plain history may have beside calls, and moves each second one to two locks.
func (w *environment) disturb() {
	h, r := w.h, w.r
	h.Header.Requires.Contended, h.Header.Requires.Hits = r.IntN(3)*r.IntN(3), max(0, r.IntN(9)-7)
	h.Header.Reported = [][]string{nil, {"L"}}[r.IntN(2)]
	if end := len(h.Events) - 1; r.IntN(8) == 0 {
		h.Events = h.Events[:end]
	} else if r.IntN(8) == 0 {
		h.Events[end].Err = "out of disk"
	}
	two, shared, valid := r.IntN(2) == 0, r.IntN(9) == 0, int64(r.IntN(3)*400)
	h.Header.Declares.Optimistic = r.IntN(20) == 0
	for i := range h.Events {
		e := &h.Events[i]
		if two && e.F != "" && e.Process >= 0 {
			e.Key = history.Ptr(e.Process % 2)
		}
		if shared && e.F == history.Acquire && e.Process != 1 {
			e.Mode = history.Shared
		}
		if e.Grant != nil && r.IntN(30) == 0 {
			e.Grant.ValidUntil = max(0, e.T+valid-200)
		}
		if r.IntN(20) == 0 && e.Type != history.End {
			h.Events = append(h.Events, history.Event{Type: history.Gap, T: e.T, Process: e.Process,
				Gap: history.Duration(r.IntN(150))})
		}
	}
	h.Sort()
}

// TestPlainOfAnything feeds what a fuzzer does.
func TestPlainOfAnything(t *testing.T) {
	r, plain := rand.New(rand.NewPCG(7, 7)), 0
	n := lineartest.Rounds(testenv.Large(30_000, 1000), 1_000_000)
	for i := range n {
		b := make([]byte, 10+r.IntN(70))
		for k := range b {
			if b[k] = byte(r.IntN(256)); k%2 == 0 && k > 0 && r.IntN(4) > 0 {
				b[k] &^= 0xe0
			} else if k%2 == 1 && r.IntN(4) > 0 {
				b[k] = []byte{0, 0x78, 0xf9, 0xb8, 1, 0x38, 4}[r.IntN(7)]
			}
		}
		if plainly(t, wellFormed(b), Options{Properties: asking[i%4]}) {
			plain++
		}
	}
	t.Logf("%d of %d are plain", plain, n)
	if plain < n/100 {
		t.Errorf("only %d of %d are plain", plain, n)
	}
}

// TestPlainIsLong has holds enough for many pieces and batches of porcupine's, and calls that last
// for all the time.
func TestPlainIsLong(t *testing.T) {
	for _, run := range []busy{
		{operations: testenv.Large(15_000, 3_000), clients: 10, locks: 1},
		{operations: testenv.Large(10_000, 3_000), clients: 7, locks: 50},
	} {
		h, _ := run.make()
		h.Events = append([]history.Event{{Type: history.Invoke, T: 1, Process: 99,
			F: history.Acquire, N: 1, Key: history.Ptr(0)}}, h.Events...)
		for _, letters := range asking {
			if !plainly(t, h, Options{Properties: letters}) {
				t.Errorf("%s of %v is not plain", &run, letters)
			}
		}
		if run.broken = true; plainly(t, first(run.make()), Options{}) {
			t.Errorf("%s: a violation is plain", &run)
		}
	}
}

func first[A, B any](a A, _ B) A { return a }

// TestPlainOfStories has those of the golden verdicts, and runs on real servers.
func TestPlainOfStories(t *testing.T) {
	for _, c := range goldenCases {
		plainly(t, story(t, c.story), Options{Properties: asking[3]})
	}
	files, _ := filepath.Glob("testdata/real/*/history.jsonl")
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		h, err := history.Read(f)
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
		plainly(t, h, Options{Properties: asking[3]})
	}
	if len(files) == 0 {
		t.Error("there are no runs")
	}
}

// TestPlainInOddCases has what histories at random hardly ever have.
func TestPlainInOddCases(t *testing.T) {
	ev := func(typ history.Type, at int64, p int, f string, key int) history.Event {
		return history.Event{Type: typ, T: at, Process: p, F: f, N: 1, Key: history.Ptr(key)}
	}
	for name, odd := range map[string][]history.Event{
		"a hold ends as it is called, and the call of another client with it": {
			ev(history.Invoke, 5, 1, history.Acquire, 0), ev(history.Invoke, 9, 0, history.Acquire, 0),
			ev(history.OK, 9, 0, history.Acquire, 0), ev(history.Invoke, 9, 0, history.Release, 0),
			ev(history.Fail, 9, 1, history.Acquire, 0), ev(history.OK, 12, 0, history.Release, 0)},
		"a call returns with another lock": {
			ev(history.Invoke, 1, 1, history.Acquire, 0), ev(history.Invoke, 2, 0, history.Acquire, 0),
			ev(history.OK, 3, 0, history.Acquire, 0), ev(history.Invoke, 9, 0, history.Release, 0),
			ev(history.OK, 10, 0, history.Release, 0), ev(history.OK, 12, 1, history.Acquire, 1)},
		"a stamp is beyond all clocks": {
			ev(history.Invoke, 1, 0, history.Acquire, 0), ev(history.OK, 3, 0, history.Acquire, 0),
			ev(history.Invoke, 1<<60+1, 0, history.Release, 0),
			ev(history.OK, 1<<60+2, 0, history.Release, 0)},
		"no hold lasts": {
			ev(history.Invoke, 1, 0, history.Acquire, 0), ev(history.OK, 3, 0, history.Acquire, 0),
			ev(history.Invoke, 3, 0, history.Release, 0)},
	} {
		if name != "no hold lasts" {
			odd = append(odd, ev(history.Invoke, 1<<60-3, 7, history.Acquire, 0),
				ev(history.OK, 1<<60-2, 7, history.Acquire, 0))
		}
		h := &history.History{Header: history.Header{Environment: "test"}, Events: append(odd,
			history.Event{Type: history.End, T: 1<<60 - 1, Process: history.Harness})}
		if plainly(t, h, Options{}) {
			t.Errorf("%s: that is plain", name)
		}
	}
}
