package main

import (
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestLargeScript runs the scripts that do less with the race detector.
func TestLargeScript(t *testing.T) {
	t.Parallel()
	testscript.Run(t, scriptsIn("testdata/large"))
}
