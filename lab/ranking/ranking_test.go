package ranking

import (
	"github.com/lockbench/lockbench/lab/records"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/lockbench/lockbench/internal/history"
)

// TestAHandOver is from a release to the grant of another client that had asked before: not to one
// that asks afterwards, and not to the same one.
func TestAHandOver(t *testing.T) {
	event := func(at, process int, typ history.Type, f string) history.Event {
		return history.Event{T: int64(at) * int64(time.Millisecond), Process: process, Type: typ, F: f}
	}
	h := &history.History{Events: []history.Event{
		event(0, 0, history.Invoke, history.Acquire), event(1, 0, history.OK, history.Acquire),
		event(2, 1, history.Invoke, history.Acquire), event(5, 0, history.Invoke, history.Release),
		event(6, 0, history.OK, history.Release), event(8, 1, history.OK, history.Acquire),
		event(9, 1, history.Invoke, history.Release), event(10, 1, history.OK, history.Release),
		event(20, 0, history.Invoke, history.Acquire), event(21, 0, history.OK, history.Acquire),
		event(22, 0, history.Invoke, history.Release), event(23, 0, history.OK, history.Release),
		event(24, 0, history.Invoke, history.Acquire), event(25, 0, history.OK, history.Acquire),
	}}
	s := Measure(2, []*history.History{h, h})
	if s.HandOverP50.D() != 3*time.Millisecond || s.HandOverP99.D() != 3*time.Millisecond {
		t.Errorf("%v and %v, not 3 ms", s.HandOverP50.D(), s.HandOverP99.D())
	}
	if s.Grants != 8 {
		t.Errorf("%d grants, not 8", s.Grants)
	}
}

// TestWokenIsForEachGrant: what was not counted is not zero.
func TestWokenIsForEachGrant(t *testing.T) {
	var s Speed
	if s.woken() != "-" {
		t.Errorf("%q, though it was not counted", s.woken())
	}
	if s.SetWoken(21, 4); s.woken() != "5.25" {
		t.Errorf("%s, not 21 for 4 grants", s.woken())
	}
}

// TestEveryLockHasADurability: a speed says nothing without it.
func TestEveryLockHasADurability(t *testing.T) {
	for _, l := range Locks {
		if Durability[l.System] == "" {
			t.Errorf("%s: what does %s keep?", l.Name(), l.System)
		}
	}
}

// TestThePageIsTheRecords: the page says what the record has.
func TestThePageIsTheRecords(t *testing.T) {
	docs := filepath.Join("../results")
	f, err := records.Open(os.DirFS(docs), File)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := Read(f)
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(docs, PageFile))
	if err != nil || string(page) != r.Page() {
		t.Errorf("results/%s is not what results/%s says (%v): write it by Write", PageFile, File, err)
	}
}
