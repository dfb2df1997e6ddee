package edn_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/history/edn"
)

var update = flag.Bool("update", false, "write the golden files")

// lines writes the events of a history one JSON object per line.
func eventLines(h *history.History) string {
	var b strings.Builder
	for _, e := range h.Events {
		line, err := json.Marshal(e)
		if err != nil {
			panic(err)
		}
		fmt.Fprintf(&b, "%s\n", line)
	}
	return b.String()
}

func goldenEDN(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s (-want +got):\n%s", path, d)
	}
}

func TestReadGolden(t *testing.T) {
	for _, name := range []string{"etcd", "hazelcast"} {
		t.Run(name, func(t *testing.T) {
			f, err := os.Open(filepath.Join("testdata", name+".edn"))
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			h, err := edn.ReadAny(f, edn.Options{})
			if err != nil {
				t.Fatal(err)
			}
			goldenEDN(t, name+".events", eventLines(h))
		})
	}
}

// whole is a history with everything that an export has a word for.
func whole() *history.History {
	ev := func(typ history.Type, t int64, p int, f string, n int) history.Event {
		return history.Event{Type: typ, T: t, Process: p, F: f, N: n, Key: history.Ptr(0)}
	}
	fail := ev(history.Fail, 50, 1, history.Acquire, 1)
	fail.Err = `held by "another" client`
	foreign := ev(history.Fail, 90, 1, history.Release, 2)
	foreign.Err = "not the owner"
	write := ev(history.Invoke, 22, 0, history.WriteOp, 1)
	write.Value = history.Ptr(int64(7))
	wrote := write
	wrote.Type, wrote.T = history.OK, 24
	granted := ev(history.OK, 20, 0, history.Acquire, 1)
	granted.Grant = &history.Grant{Sent: 12, Lease: 1000, Token: 5}
	lost := ev(history.Info, 100, 2, history.Acquire, 1)
	lost.Err = "i/o timeout"
	shared := ev(history.Invoke, 101, 2, history.Acquire, 2)
	shared.Mode = history.Shared
	return &history.History{
		Header: history.Header{Type: "header", Format: history.Format, Clients: 3},
		Events: []history.Event{
			ev(history.Invoke, 10, 0, history.Acquire, 1), granted, write, wrote,
			ev(history.Invoke, 30, 1, history.Acquire, 1),
			{Type: history.Fault, T: 32, Process: history.Harness, F: "kill", Target: "n0",
				Phase: history.PhaseFrom, ID: 1},
			ev(history.Invoke, 40, 0, history.Release, 1), ev(history.OK, 45, 0, history.Release, 1), fail,
			ev(history.Invoke, 60, 1, history.Acquire, 2), ev(history.OK, 70, 1, history.Acquire, 2),
			ev(history.Invoke, 80, 1, history.Release, 2), foreign,
			ev(history.Invoke, 95, 2, history.Acquire, 1), lost, shared,
			{Type: history.Fault, T: 110, Process: history.Harness, F: "kill", Target: "n0",
				Phase: history.PhaseTo, ID: 1},
			{Type: history.End, T: 120, Process: history.Harness},
		},
	}
}

func TestWriteGolden(t *testing.T) {
	for name, o := range map[string]edn.Options{"plain": {}, "values": {Values: true},
		"independent": {Independent: true}} {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			if err := edn.Write(&b, whole(), o); err != nil {
				t.Fatal(err)
			}
			goldenEDN(t, "export-"+name+".edn", b.String())
			h, err := edn.Read(&b, o)
			if err != nil {
				t.Fatal(err)
			}
			goldenEDN(t, "export-"+name+".events", eventLines(h))
		})
	}
}

func TestWriteOfSeveralLocks(t *testing.T) {
	h := whole()
	h.Events[0].Key = history.Ptr(1)
	if err := edn.Write(&bytes.Buffer{}, h, edn.Options{}); err == nil {
		t.Error("two locks in one history of Jepsen's were accepted")
	}
	var b bytes.Buffer
	if err := edn.Write(&b, h, edn.Options{Key: history.Ptr(1)}); err != nil ||
		strings.Count(b.String(), "acquire") != 1 {
		t.Errorf("%v\n%s", err, b.String())
	}
}

func TestReadErrors(t *testing.T) {
	for _, c := range []struct {
		name, text string
		line, read int
		why        string
	}{
		{"double invoke",
			"{:type :invoke :f :acquire :process 0}\n{:type :invoke :f :release :process 0}", 2, 1,
			"is open"},
		{"completion without invoke", "\n{:type :ok :f :acquire :process 0}", 2, 0,
			"without an invocation"},
		{"completion of another function",
			"{:type :invoke :f :acquire :process 0}{:type :ok :f :release :process 0}", 1, 1, "completes"},
		{"time runs backwards within a process",
			"{:type :invoke :f :acquire :process 0 :time 9}\n{:type :ok :f :acquire :process 0 :time 8}", 2,
			1, "backwards"},
		{"cut short inside of a map", "[{:type :invoke :f :acquire :process 0}\n{:type :ok :f :acq", 2, 1,
			"ends inside"},
		{"cut short between maps", "[{:type :invoke :f :acquire :process 0}\n", 2, 1, "ends before"},
		{"no type", "{:f :acquire :process 0}", 1, 0, "needs a type"},
		{"strange type", "{:type :maybe :f :acquire :process 0}", 1, 0, "unknown type"},
		{"not EDN", "{:type :invoke :f}", 1, 0, "EDN"},
		{"text", "; nothing\nhello", 2, 0, "expected a map"},
		{"empty", "[]", 1, 0, "no operation"},
		{"a negative process", "{:type :invoke :f :acquire :process -4}", 1, 0, "count from 0"},
		{"a binary file", "JEPSEN\x00\x00\x00\x01", 1, 0, "history.edn"},
	} {
		t.Run(c.name, func(t *testing.T) {
			h, err := edn.ReadAny(strings.NewReader(c.text), edn.Options{})
			var le *history.LineError
			if !errors.As(err, &le) || le.Line != c.line || !strings.Contains(err.Error(), c.why) {
				t.Fatalf("got %v, want line %d and %q", err, c.line, c.why)
			}
			if len(h.Events) != c.read {
				t.Errorf("%d events were readable, want %d", len(h.Events), c.read)
			}
		})
	}
}

func TestReadAnyTellsOursFromJepsens(t *testing.T) {
	var ours bytes.Buffer
	if err := whole().Write(&ours); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"ours": ours.String(), "lines": "{:type :invoke, :f :acquire, :process 0}",
		"vector":         " [{:type :invoke :f :acquire :process 0}]",
		"list":           "({:process 0 :type :invoke :f :acquire})",
		"records":        "#jepsen.history.Op{:type :invoke :f :acquire :process 0}",
		"comment first":  "; a comment {\n{:type :invoke :f :lock :process 0}",
		"braces in text": `{:type :invoke :f :acquire :process 0 :error "}{ \" " :x \{}`,
	} {
		if h, err := edn.ReadAny(strings.NewReader(text), edn.Options{}); err != nil ||
			h.Events[0].F != history.Acquire {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestWhatIsNestedTooDeeplyIsNotRead(t *testing.T) {
	text := "{:type :ok :f :acquire :process 0 :value " + strings.Repeat("[", 101) +
		strings.Repeat("]", 101) + "}"
	_, err := edn.Read(strings.NewReader(text), edn.Options{})
	if err == nil || !strings.Contains(err.Error(), "nested deeper than 100") {
		t.Error(err)
	}
}

func FuzzRead(f *testing.F) {
	for _, name := range []string{"etcd", "hazelcast", "export-values"} {
		b, err := os.ReadFile(filepath.Join("testdata", name+".edn"))
		if err == nil {
			f.Add(b, false)
		}
	}
	f.Add([]byte("{:type :invoke :f :acquire :process 0 :value [1 nil]}"), true)
	f.Add([]byte(`[{:type :ok :f "x" :process #{} :time -1 :index 99999999999999999999N}]`), false)
	f.Fuzz(func(t *testing.T, b []byte, independent bool) {
		h, err := edn.Read(bytes.NewReader(b), edn.Options{Independent: independent})
		var le *history.LineError
		if err != nil && !errors.As(err, &le) {
			t.Fatalf("%v is not about a line", err)
		}
		v := history.NewValidator()
		for _, e := range h.Events {
			if err := v.Add(e); err != nil {
				t.Fatalf("read an impossible history: %v", err)
			}
		}
	})
}
