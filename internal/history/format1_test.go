package history_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lockbench/lockbench/internal/history"
)

// TestHistoriesOfFormat1 reads what the first version recorded.
func TestHistoriesOfFormat1(t *testing.T) {
	f, err := os.Open(filepath.Join("..", "format1", "testdata", "old", "runs",
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
	aimed, lasted := 0, 0
	for _, e := range h.Events {
		if e.Lasted {
			lasted++
		}
		if e.Aimed {
			aimed++
		}
	}
	if lasted == 0 {
		t.Error("no fault lasted until the end of the run")
	}
	if aimed != 1 || !h.Complete() {
		t.Errorf("%d faults are aimed, of one; complete: %v", aimed, h.Complete())
	}
}

// TestRefusalsOfFormat1 reads why acquires failed, which only the text said in the first version.
func TestRefusalsOfFormat1(t *testing.T) {
	for text, want := range map[string]history.Refusal{
		"": history.Taken, "held by another client": history.Taken,
		"held by another client (context canceled)": history.GaveUp,
		"dial tcp 127.0.0.1:1: connection refused":  history.Unreachable,
	} {
		h, err := history.Read(strings.NewReader(`{"type":"header","format":1}
{"type":"invoke","t":1,"process":0,"f":"acquire","n":1}
{"type":"fail","t":2,"process":0,"f":"acquire","n":1,"err":"` + text + `"}
`))
		if err != nil || h.Events[1].Why != want {
			t.Errorf("%q: %+v, %v", text, h.Events, err)
		}
	}
}

// TestTracesWithoutLosses reads why commands had no reply, which only the text said once.
func TestTracesWithoutLosses(t *testing.T) {
	for end, want := range map[string]history.Loss{
		`"reply":"1"`:                           "",
		`"err":"read tcp: i/o timeout"`:         history.TimedOut,
		`"err":"EOF"`:                           history.BrokenOff,
		`"err":"no timeout","why":"broken-off"`: history.BrokenOff,
	} {
		cs, err := history.ReadTrace(strings.NewReader(`{"process":0,"seq":1,"sent":1,"args":["GET","k"]}
{"process":0,"seq":1,"recv":2,` + end + `}
`))
		if err != nil || len(cs) != 1 || cs[0].Why != want {
			t.Errorf("%s: %+v, %v", end, cs, err)
		}
	}
}
