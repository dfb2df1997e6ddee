package view

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/lockbench/lockbench/internal/run/store"
)

// TestFrom: a page above a run, also one whose folders have signs that mean something in addresses.
func TestFrom(t *testing.T) {
	for _, row := range []struct{ dir, page, want string }{
		{"m/runs/getset/pause", "m/matrix.html", "../../../matrix.html"},
		{"m/runs/a b?c", "m/matrix.html", "../../matrix.html"},
		{"m/runs/x", "m/a b#1.html", "../../a%20b%231.html"},
		{"m", "/elsewhere/matrix.html", ""},
	} {
		if l := From(row.dir, row.page, "the matrix"); l.Href != row.want {
			t.Errorf("from %s to %s: %q, not %q", row.dir, row.page, l.Href, row.want)
		}
	}
}

// TestBeside wants a link to what is there, and none else: not to a page that lies above a run of
// its own.
func TestBeside(t *testing.T) {
	root := t.TempDir()
	of, alone := filepath.Join(root, "runs", "getset", "pause-1"), filepath.Join(root, "getset-pause")
	if got := ParentPages(of); got != nil {
		t.Errorf("without a page: %v", got)
	}
	if err := os.WriteFile(filepath.Join(root, store.MatrixPage), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := ParentPages(of); len(got) != 1 || got[0].Href != "../../../matrix.html" {
		t.Errorf("a run of a matrix: %v", got)
	}
	if got := ParentPages(alone); got != nil {
		t.Errorf("a run that is beside a matrix: %v", got)
	}
}
