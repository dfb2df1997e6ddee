package reports

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/dev/golden"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/history/edn"
	"github.com/lockbench/lockbench/internal/run/store"
	"github.com/lockbench/lockbench/reports/reporttest"
	jepsen "olympos.io/encoding/edn"
)

var jepsenTime = time.Date(2026, 11, 21, 12, 0, 0, 123e6, time.UTC)

// twoLocks is a history of two locks; on one of them two clients are inside at once.
func twoLocks() *store.Run {
	ev := func(typ history.Type, t int64, p int, f string, n, key int) history.Event {
		return history.Event{Type: typ, T: t, Process: p, F: f, N: n, Key: history.Ptr(key)}
	}
	h := &history.History{Header: history.Header{Type: "header", Format: 1, Impl: "setnx",
		Nemesis: "pause:short", Clients: 2, Keys: 2, Properties: []string{"S", "F"}, Expect: "valid",
		Started: "2026-11-21T12:00:00.123Z"}}
	h.Events = []history.Event{
		ev(history.Invoke, 10, 0, history.Acquire, 1, 0), ev(history.OK, 20, 0, history.Acquire, 1, 0),
		ev(history.Invoke, 30, 1, history.Acquire, 1, 1), ev(history.OK, 40, 1, history.Acquire, 1, 1),
		{Type: history.Fault, T: 45, Process: history.Harness, F: "pause", Target: "c0",
			Phase: history.PhaseFrom, ID: 1},
		ev(history.Invoke, 50, 1, history.Release, 1, 1), ev(history.OK, 60, 1, history.Release, 1, 1),
		ev(history.Invoke, 70, 1, history.Acquire, 2, 0), ev(history.OK, 80, 1, history.Acquire, 2, 0),
		{Type: history.Fault, T: 85, Process: history.Harness, F: "pause", Target: "c0",
			Phase: history.PhaseTo, ID: 1},
		ev(history.Invoke, 90, 0, history.Release, 1, 0), ev(history.Info, 95, 0, history.Release, 1, 0),
		ev(history.Invoke, 96, 1, history.Release, 2, 0), ev(history.OK, 99, 1, history.Release, 2, 0),
		{Type: history.End, T: 100, Process: history.Harness},
	}
	return &store.Run{History: h, Verdict: checker.Check(h, nil, checker.Options{})}
}

// TestJepsenLayout pins what Jepsen's tools read.
func TestJepsenLayout(t *testing.T) {
	root := t.TempDir()
	dir, err := WriteJepsen(root, reporttest.View(t, twoLocks()), "setnx-pause:short", jepsenTime,
		false)
	if err != nil {
		t.Fatal(err)
	}
	if rel, _ := filepath.Rel(root, dir); rel != "setnx-pause-short/20261121T120000.123Z" {
		t.Errorf("the run is in %s", rel)
	}
	var have []string
	filepath.WalkDir(root, func(name string, d fs.DirEntry, _ error) error {
		if !d.IsDir() {
			rel, _ := filepath.Rel(root, name)
			have = append(have, strings.TrimPrefix(rel, "setnx-pause-short/20261121T120000.123Z/"))
		}
		return nil
	})
	want := []string{"current", "latest", "setnx-pause-short/latest", "history.edn", "history.txt",
		"results.edn", "timeline.html", "latency-raw.png",
		"independent/0/history.edn", "independent/0/history.txt", "independent/0/results.edn",
		"independent/1/history.edn", "independent/1/history.txt", "independent/1/results.edn"}
	slices.Sort(want)
	slices.Sort(have)
	have = slices.DeleteFunc(have, func(s string) bool {
		return strings.HasSuffix(s, ".png") &&
			s != "latency-raw.png"
	})
	if d := cmp.Diff(want, have); d != "" {
		t.Error(d)
	}
	for _, link := range []string{"latest", "current", "setnx-pause-short/latest"} {
		if to, err := filepath.EvalSymlinks(filepath.Join(root, link)); err != nil || to != dir {
			t.Errorf("%s points at %s: %v", link, to, err)
		}
	}
	for _, name := range []string{"history.edn", "history.txt", "results.edn",
		"independent/0/history.edn", "independent/0/results.edn", "independent/1/results.edn"} {
		got, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		golden.Compare(t, filepath.Join("jepsen", strings.ReplaceAll(name, "/", "-")), string(got))
	}
}

// TestResultsArePlainEDN reads results with a library that knows none of our tags, hostile words
// included.
func TestResultsArePlainEDN(t *testing.T) {
	r := reporttest.HostileRun(t)
	for verdict, want := range map[checker.Result]any{checker.Violated: false, checker.Valid: true,
		checker.Unknown: jepsen.Keyword("unknown"), "": jepsen.Keyword("unknown")} {
		r.Verdict.Verdict = verdict
		text := Results(r.History, r.Verdict).String()
		var m map[jepsen.Keyword]any
		if err := jepsen.Unmarshal([]byte(text), &m); err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		if m["valid?"] != want {
			t.Errorf("%q is %v, want %v", verdict, m["valid?"], want)
		}
		if s, ok := m["S"].(map[any]any); !ok || s[jepsen.Keyword("valid?")] != false {
			t.Errorf("S is %v", m["S"])
		}
	}
}

// TestAnExportIsReadAgain makes sure that nothing that counts is lost on the way to Jepsen.
func TestAnExportIsReadAgain(t *testing.T) {
	dir, err := WriteJepsen(t.TempDir(), reporttest.View(t, reporttest.NewRun(t, reporttest.Scene{
		Clients: 4, Cycles: 14, Fail: true})),
		"getset-failover", jepsenTime, true)
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(filepath.Join(dir, "history.edn"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	h, err := edn.ReadAny(f, edn.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if v := checker.Check(h, nil, checker.Options{Model: "mutex"}); v.Verdict != checker.Violated {
		t.Errorf("read again, it is %s", v.Verdict)
	}
}
