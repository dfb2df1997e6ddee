package store_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lockbench/lockbench/internal/run/store"
)

// TestAPackedTraceIsReadAsBefore: Load returns the same commands, and the directory has the trace
// once. A judge that learns more from a node's file adds it once.
func TestAPackedTraceIsReadAsBefore(t *testing.T) {
	dir := t.TempDir()
	record(t, dir)
	if err := store.Pack(dir); err != nil {
		t.Errorf("without a trace: %v", err)
	}
	_ = os.Mkdir(filepath.Join(dir, store.Nodes), 0o755)
	for file, text := range map[string]string{
		store.Trace: `{"process":0,"seq":1,"n":1,"node":"n0","sent":10,"args":["EVAL","s","1","k"]}
{"process":0,"seq":1,"n":1,"node":"n0","recv":20,"reply":"1"}
`,
		store.Nodes + "/n0.jsonl": `{"t":1015,"line":"1.5 [0 127.0.0.1:1] \"EVAL\" \"s\" \"1\" \"k\""}
{"t":1015,"line":"1.5 [0 lua] \"del\" \"k\""}
`} {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := store.Pack(dir); err != nil {
		t.Fatal(err)
	}
	if r, err := store.Load(dir); err != nil || len(r.Trace) != 1 || len(r.Trace[0].Effects) != 0 {
		t.Fatalf("loaded %+v, %v", r, err)
	}
	for range 2 {
		if _, err := store.Judge(dir); err != nil {
			t.Fatal(err)
		}
		r, err := store.Load(dir)
		if err != nil || len(r.Trace) != 1 || len(r.Trace[0].Effects) != 1 {
			t.Errorf("judged and loaded %+v, %v", r, err)
		}
		if names, _ := filepath.Glob(filepath.Join(dir, "trace*")); len(names) != 1 ||
			!strings.HasSuffix(names[0], store.Packed) {
			t.Errorf("the directory has %v", names)
		}
	}
}
