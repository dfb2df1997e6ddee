package history_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/lockbench/lockbench/history"
)

// TestHistoriesOfFormat1 reads what the first version recorded.
func TestHistoriesOfFormat1(t *testing.T) {
	f, err := os.Open(filepath.Join("..", "internal", "format1", "testdata", "old", "runs",
		"getset-failover", "history.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	h, err := history.Read(f)
	if err != nil {
		t.Fatal(err)
	}
	if h.Header.Environment != "sim" || h.Header.Requires.Hits != 1 {
		t.Errorf("the header is %+v", h.Header)
	}
	aimed := 0
	for _, e := range h.Events {
		if e.Aimed {
			aimed++
		}
	}
	if aimed != 1 || !h.Complete() {
		t.Errorf("%d faults are aimed, of one; complete: %v", aimed, h.Complete())
	}
}
