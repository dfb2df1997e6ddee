package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lockbench/lockbench/internal/harness"
)

// TestReplaySetsNoOtherAdapterUpThanItsFileMeans: a counterexample from elsewhere names a folder,
// whose setup is a program.
func TestReplaySetsNoOtherAdapterUpThanItsFileMeans(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	ran := filepath.Join(dir, "ran")
	manifest := `name: foreign
language: go
library: foreign
version: 1.0.0
needs: [touch]
setup: [[touch, "` + ran + `"], [go, build, -C, "{src}", .]]
run: ["{cache}/adapter"]
topology: single
clock: none
declares: {lease: true}
defaults: {ttl: given, poll: none}
variants: [{name: a, line: "a"}]
`
	if err := os.WriteFile(filepath.Join(dir, "adapter.yaml"), []byte(manifest), 0o644); err != nil {
		t.Fatal(err)
	}
	p := harness.Plan{Adapter: &harness.Adapter{Name: "foreign", Dir: dir, Hash: "0123456789abcdef"}}
	err := simulatePlan(t.Context(), p)
	if err == nil || !strings.Contains(err.Error(), "have changed since the counterexample was made") {
		t.Errorf("it is not refused: %v", err)
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("its setup was carried out")
	}
}
