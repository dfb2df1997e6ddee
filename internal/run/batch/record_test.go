package batch

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

type part struct {
	Format int `json:"format"`
	N      int `json:"n"`
}

// TestARecordCanBeCutOffMoreThanOnce: each process is ended in the middle of a line, and no line
// that was whole is lost.
func TestARecordCanBeCutOffMoreThanOnce(t *testing.T) {
	name := filepath.Join(t.TempDir(), "parts.jsonl")
	for n := range 4 {
		r, err := OpenRecord[part](name)
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Known) != n || n > 0 && r.Known[n-1].N != n-1 {
			t.Errorf("after %d processes it has %v", n, r.Known)
		}
		if err := WriteLine(r, part{Format, n}); err != nil {
			t.Fatal(err)
		}
		if _, err := r.WriteString(`{"n": 99`); err != nil {
			t.Fatal(err)
		}
		r.Close()
	}
	if err := os.WriteFile(name, []byte("{\"format\": 2, \"n\": 1}\nhello\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenRecord[part](name); err == nil || !strings.Contains(err.Error(), "line 2") {
		t.Errorf("a line that is none was read: %v", err)
	}
}

func TestOneProcessWorksInADirectory(t *testing.T) {
	dir := t.TempDir()
	first, err := Lock(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Lock(dir); err == nil ||
		!strings.Contains(err.Error(), "another lockbench is at work") {
		t.Errorf("two work in it: %v", err)
	}
	first.Close()
	second, err := Lock(dir)
	if err != nil {
		t.Fatal(err)
	}
	second.Close()
	if _, err := Lock(filepath.Join(dir, "missing")); err == nil {
		t.Error("a directory that is not there was locked")
	}
	entries, err := os.ReadDir(dir)
	if err != nil || slices.ContainsFunc(entries, func(e os.DirEntry) bool {
		return e.Name()[0] != '.'
	}) {
		t.Errorf("%v, %v", entries, err)
	}
}
