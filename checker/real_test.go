package checker

import (
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lockbench/lockbench/internal/history"
)

// TestStoriesOfRealRuns tells what happened in runs on redis-server 7.0.15 that were recorded by
// lockbench run (testdata/real): one of each class and of each letter. The story says whose value
// was lost, who took it away, where, and which step before made that possible.
func TestStoriesOfRealRuns(t *testing.T) {
	runs, err := filepath.Glob(filepath.Join("testdata", "real", "*", "history.jsonl"))
	if err != nil || len(runs) < 14 {
		t.Fatalf("%d runs, %v", len(runs), err)
	}
	for _, run := range runs {
		dir := filepath.Dir(run)
		t.Run(filepath.Base(dir), func(t *testing.T) {
			h, trace := recorded(t, dir)
			v := Check(h, trace, Options{Properties: history.DefaultProperties()})
			var told strings.Builder
			for _, p := range v.Properties {
				if p.Verdict == Violated {
					namesEachOnce(t, p)
					told.WriteString(p.Property + ": " + p.Explanation + "\n")
				}
			}
			path := filepath.Join(dir, "story.txt")
			if *update {
				if err := os.WriteFile(path, []byte(told.String()), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(string(want), told.String()); d != "" {
				t.Errorf("-want +got:\n%s", d)
			}
		})
	}
}

// recorded reads the history and the trace of a run.
func recorded(t *testing.T, dir string) (*history.History, []history.Command) {
	t.Helper()
	events, err := os.Open(filepath.Join(dir, "history.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer events.Close()
	h, err := history.Read(events)
	if err != nil {
		t.Fatal(err)
	}
	packed, err := os.Open(filepath.Join(dir, "trace.jsonl.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	lines, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	trace, err := history.ReadTrace(lines)
	if err != nil {
		t.Fatal(err)
	}
	return h, trace
}

// namesEachOnce wants a witness that shows no command of a client twice.
func namesEachOnce(t *testing.T, p Property) {
	t.Helper()
	seen := map[[2]int]bool{}
	if p.Witness == nil {
		return
	}
	for _, m := range p.Witness.Commands {
		key := [2]int{m.Process, m.Seq}
		if m.Process >= 0 && seen[key] {
			t.Errorf("%s: the command %v of client %d is there twice", p.Property, m.Args, m.Process)
		}
		seen[key] = true
	}
}
