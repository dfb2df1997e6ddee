package store_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/run/store"
)

func TestTwoRunsOfOneMomentGetTwoDirectories(t *testing.T) {
	root, now := t.TempDir(), time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	a, err := store.Create(root, "getset", "failover:healthy", now)
	if err != nil {
		t.Fatal(err)
	}
	b, err := store.Create(root, "getset", "failover:healthy", now)
	if err != nil || a == b {
		t.Fatal(a, b, err)
	}
	if want := filepath.Join(root, "getset-failover-healthy", "20261121T120000.000Z"); a != want {
		t.Errorf("directory is %s, not %s", a, want)
	}
}

func TestLatestPointsAtTheNewest(t *testing.T) {
	root := t.TempDir()
	for i := range 2 {
		dir, err := store.Create(root, "x", "none", time.Unix(int64(i), 0))
		if err != nil {
			t.Fatal(err)
		}
		if err := store.Point(root, dir); err != nil {
			t.Fatal(err)
		}
		for _, link := range []string{filepath.Join(root, store.Latest), filepath.Join(root, "x-none",
			store.Latest)} {
			if got, _ := filepath.EvalSymlinks(link); filepath.Base(got) != filepath.Base(dir) {
				t.Errorf("%s leads to %s, not to %s", link, got, dir)
			}
		}
	}
}

func TestAnUnwritableStoreSaysWhatToDo(t *testing.T) {
	_, err := store.Create("/dev/null/store", "x", "none", time.Now())
	if err == nil || !strings.Contains(err.Error(), "name another with --store") {
		t.Errorf("error is %v", err)
	}
}

// record fills a run directory with the least that it needs.
func record(t *testing.T, dir string) {
	t.Helper()
	var b bytes.Buffer
	h := history.History{Header: history.Header{Epoch: 1000}, Events: []history.Event{
		{Type: history.End, Process: history.Harness}}}
	if err := h.Write(&b); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, store.History), b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestOnlyTheHistoryMustBeThere(t *testing.T) {
	dir := t.TempDir()
	if r, err := store.Load(dir); r != nil || err == nil ||
		!strings.Contains(err.Error(), "is no run directory") {
		t.Errorf("an empty directory: %v, %v", r, err)
	}
	record(t, dir)
	r, err := store.Load(dir)
	if err != nil || !r.History.Complete() || r.Verdict != nil || r.Plan != nil {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestNodeStreamsAreBroughtToTheTimeOfTheRun(t *testing.T) {
	dir := t.TempDir()
	record(t, dir)
	if err := os.Mkdir(filepath.Join(dir, store.Nodes), 0o755); err != nil {
		t.Fatal(err)
	}
	// cut short, as a killed node leaves it
	stream := `{"t":1500,"line":"1.5 [0 127.0.0.1:1] \"PING\""}` + "\n" + `{"t":16`
	if err := os.WriteFile(filepath.Join(dir, store.Nodes, "n0.jsonl"), []byte(stream), 0o644); err !=
		nil {
		t.Fatal(err)
	}
	r, err := store.Load(dir)
	if err != nil || len(r.Nodes["n0"]) != 1 || r.Nodes["n0"][0].T != 500 {
		t.Errorf("%+v, %v", r.Nodes, err)
	}
}

func TestAFileIsWrittenWholeOrNotAtAll(t *testing.T) {
	dir := t.TempDir()
	write := func(text string, err error) error {
		return store.Write(dir, store.Plan, func(f *os.File) error {
			_, e := f.WriteString(text)
			return errors.Join(e, err)
		})
	}
	if err := write("old", nil); err != nil {
		t.Fatal(err)
	}
	if err := write("half", errors.New("the disk is full")); err == nil {
		t.Fatal("an error was lost")
	}
	b, _ := os.ReadFile(filepath.Join(dir, store.Plan))
	left, _ := filepath.Glob(filepath.Join(dir, ".*"))
	if string(b) != "old" || len(left) > 0 {
		t.Errorf("file holds %q, left behind %v", b, left)
	}
}
