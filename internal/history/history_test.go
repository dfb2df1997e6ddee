package history_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/lockbench/lockbench/internal/history"
	"pgregory.net/rapid"
)

var header = history.Header{
	Type: "header", Format: history.Format, Environment: "process", Impl: "getset",
	TTL:      history.Duration(2 * time.Second),
	Declares: history.Declares{Lease: true}, Requires: history.Requires{Contended: 5},
}

// write records events one after the other and returns the file.
func write(t interface{ Fatal(...any) }, events ...history.Event) string {
	var b bytes.Buffer
	r, err := history.NewRecorder(&b, header)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		if err := r.Record(e); err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}

// cycle draws the events of one cycle of a process, in order, and the time after it.
func cycle(t *rapid.T, process, n int, at int64) ([]history.Event, int64) {
	var events []history.Event
	key := rapid.IntRange(0, 2).Draw(t, "key")
	for _, f := range []string{history.Acquire, history.Release} {
		inv := history.Event{Type: history.Invoke, T: at, Process: process, F: f, N: n, Key: &key}
		at += rapid.Int64Range(0, 1000).Draw(t, "took")
		done := inv
		done.T = at
		done.Type = rapid.SampledFrom([]history.Type{history.OK, history.Fail, history.Info}).Draw(t,
			"type")
		if done.Type == history.OK && f == history.Acquire {
			done.Grant = &history.Grant{Sent: inv.T, Lease: header.TTL, Token: rapid.Int64().Draw(t,
				"token")}
		}
		if done.Type != history.OK {
			done.Err = rapid.String().Draw(t, "err")
		}
		events = append(events, inv, done)
	}
	return events, at
}

func TestWhatIsRecordedIsReadAgain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var events []history.Event
		at := int64(0)
		for n := range rapid.IntRange(0, 10).Draw(t, "cycles") {
			var c []history.Event
			c, at = cycle(t, rapid.IntRange(0, 3).Draw(t, "process"), n+1, at)
			events = append(events, c...)
		}
		events = append(events, history.Event{Type: history.End, T: at, Process: history.Harness})
		h, err := history.Read(strings.NewReader(write(t, events...)))
		if err != nil {
			t.Fatal(err)
		}
		for i := range events {
			events[i].Err = strings.ToValidUTF8(events[i].Err, "\uFFFD")
		}
		if d := cmp.Diff(&history.History{Header: header, Events: events}, h); d != "" {
			t.Fatal(d)
		}
		if !h.Complete() {
			t.Fatal("a history that ends with end is complete")
		}
	})
}

func TestEventsAreSortedByStampNotByArrival(t *testing.T) {
	file := write(t,
		history.Event{Type: history.Invoke, T: 20, Process: 0, F: history.Acquire, N: 1},
		history.Event{Type: history.Invoke, T: 10, Process: 1, F: history.Acquire, N: 1},
		history.Event{Type: history.End, T: 5, Process: history.Harness},
	)
	h, err := history.Read(strings.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	if h.Events[0].Process != 1 || h.Events[1].Process != 0 || h.Events[2].Type != history.End {
		t.Errorf("order is %v", h.Events)
	}
}

// Each impossible history, and the words that must name what is wrong with it.
var impossible = []struct{ name, events, says string }{
	{"double invoke", `{"type":"invoke","t":1,"process":0,"f":"acquire","n":1}
{"type":"invoke","t":2,"process":0,"f":"release","n":1}`,
		"line 3: process 0: release invoked while its acquire of acquisition 1 is open"},
	{"completion without invocation", `{"type":"ok","t":1,"process":0,"f":"acquire","n":1}`,
		"line 2: process 0: ok of acquire without an invocation"},
	{"completion of another call", `{"type":"invoke","t":1,"process":0,"f":"acquire","n":1}
{"type":"ok","t":2,"process":0,"f":"acquire","n":2}`,
		"line 3: process 0: ok of acquire 2 completes acquire 1"},
	{"time runs backwards", `{"type":"invoke","t":9,"process":0,"f":"acquire","n":1}
{"type":"ok","t":8,"process":0,"f":"acquire","n":1}`,
		"line 3: process 0: time runs backwards, from 9 to 8"},
	{"dead client speaks", `{"type":"exit","t":1,"process":0}
{"type":"invoke","t":2,"process":0,"f":"acquire","n":1}`,
		"line 3: process 0: invoke after it was gone"},
	{"event after the end", `{"type":"end","t":1,"process":-1}
{"type":"kill","t":2,"process":0}`, "line 3: kill after the end"},
	{"unknown type", `{"type":"maybe","t":1,"process":0}`, `line 2: unknown type "maybe"`},
	{"unknown mode", `{"type":"invoke","t":1,"process":0,"f":"acquire","n":1,"mode":"write"}`,
		`line 2: process 0: unknown mode "write"; it is shared, or none`},
	{"fault without phase", `{"type":"fault","t":1,"process":-1,"f":"cut"}`,
		`line 2: fault "cut" has phase ""`},
	{"cut short", `{"type":"invoke","t":1,"pro`, "line 2: not JSON, or cut short"},
	{"not JSON", `hello`, "line 2: not JSON, or cut short"},
}

func TestImpossibleHistoriesAreRefusedByLine(t *testing.T) {
	for _, c := range impossible {
		t.Run(c.name, func(t *testing.T) {
			_, err := history.Read(strings.NewReader(write(t) + c.events))
			var line *history.LineError
			if !errors.As(err, &line) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("error is %v; it must say %q", err, c.says)
			}
		})
	}
}

func TestHeaderIsRequired(t *testing.T) {
	for in, says := range map[string]string{
		"": "the file is empty", "\n\n": "the file is empty",
		`{"type":"invoke"}`:             "line 1: a history starts with a header",
		`{"type":"header"}`:             "line 1: it has no format; this lockbench reads format 2",
		`{"type":"header","format":1}`:  "line 1: it has format 1; this lockbench reads format 2",
		`{"type":"header","format":99}`: "line 1: it has format 99; this lockbench reads format 2",
	} {
		if _, err := history.Read(strings.NewReader(in)); err == nil ||
			!strings.Contains(err.Error(), says) {
			t.Errorf("%q: error is %v; it must say %q", in, err, says)
		}
	}
}

func TestDamagedHistoryIsReadUpToTheDamage(t *testing.T) {
	file := write(t, history.Event{Type: history.Invoke, T: 1, Process: 0, F: history.Acquire, N: 1}) +
		`{"type":"ok","t":`
	h, err := history.Read(strings.NewReader(file))
	if err == nil || len(h.Events) != 1 || h.Complete() {
		t.Errorf("got %d events, complete %v, error %v", len(h.Events), h.Complete(), err)
	}
}

func TestTraceJoinsTheLinesOfACommand(t *testing.T) {
	cs, err := history.ReadTrace(
		strings.NewReader(`{"process":0,"seq":1,"n":7,"sent":30,"args":["SETNX","k","1"]}
{"process":1,"seq":1,"n":1,"sent":20,"args":["GET","k"]}
{"process":0,"seq":1,"recv":40,"reply":"1"}
{"process":2,"seq":0,"recv":10,"reply":"OK"}
{"process":1,"seq":1,"effects":[["get","k"]]}
`))
	want := []history.Command{
		{Process: 1, Seq: 1, N: 1, Sent: 20, Args: []string{"GET", "k"},
			Effects: [][]string{{"get", "k"}}},
		{Process: 0, Seq: 1, N: 7, Sent: 30, Recv: 40, Args: []string{"SETNX", "k", "1"}, Reply: "1"},
	}
	if d := cmp.Diff(want, cs); d != "" || err != nil {
		t.Error(d, err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(write(f, history.Event{Type: history.Invoke, T: 1, Process: 0, F: history.Acquire, N: 1}))
	for _, c := range impossible {
		f.Add(write(f) + c.events)
	}
	f.Fuzz(func(t *testing.T, in string) {
		h, err := history.Read(strings.NewReader(in))
		if err != nil {
			return
		}
		var b bytes.Buffer
		if err := h.Write(&b); err != nil {
			t.Fatalf("what was read cannot be written: %v", err)
		}
		again, err := history.Read(&b)
		if err != nil {
			t.Fatalf("what was written cannot be read: %v", err)
		}
		if d := cmp.Diff(h.Events, again.Events); d != "" {
			t.Fatal(d)
		}
	})
}

func FuzzReadTrace(f *testing.F) {
	f.Add(`{"process":0,"seq":1,"sent":30,"args":["GET","k"]}`)
	f.Fuzz(func(t *testing.T, in string) { _, _ = history.ReadTrace(strings.NewReader(in)) })
}

func FuzzMonitor(f *testing.F) {
	f.Add(`1792000000.123456 [0 127.77.3.1:40112] "SETNX" "lock:0" "a\"\x00"`)
	f.Add(`1792000000.123456 [0 lua] "DEL"`)
	f.Add("OK")
	f.Fuzz(func(t *testing.T, line string) {
		said, ok := history.NodeCommand{Line: line}.Shown()
		if !ok {
			return
		}
		again := "1.0 [0 x]"
		for _, a := range said.Args {
			again += fmt.Sprintf(" %q", a)
		}
		if same, ok := (history.NodeCommand{Line: again}).Shown(); !ok || !slices.Equal(said.Args,
			same.Args) {
			t.Errorf("%q became %q", said.Args, same.Args)
		}
	})
}

// TestALineThatIsNotWrittenCostsNoMemory: a search records each run to io.Discard.
func TestALineThatIsNotWrittenCostsNoMemory(t *testing.T) {
	r, err := history.NewRecorder(io.Discard, header)
	if err != nil {
		t.Fatal(err)
	}
	tracer := history.NewTracer(io.Discard)
	gap := history.Event{Type: history.Gap, Process: history.Harness, T: 1}
	command := history.Command{Args: []string{"get", "lock:0"}, Sent: 1}
	if n := testing.AllocsPerRun(10, func() {
		if err := errors.Join(r.Record(gap), tracer.Record(command)); err != nil {
			t.Fatal(err)
		}
	}); n > 0 {
		t.Errorf("%.0f allocations", n)
	}
}
