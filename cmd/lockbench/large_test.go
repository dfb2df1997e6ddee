package main

import (
	"testing"

	"github.com/lockbench/lockbench/internal/testenv"
	"github.com/rogpeppe/go-internal/testscript"
)

// TestScript runs the command line as a user does; each script says what it shows.
func TestScript(t *testing.T) {
	testenv.Once(t)
	t.Parallel()
	testscript.Run(t, scriptsIn("testdata/script"))
}

// TestLargeScript runs the scripts that do less with the race detector.
func TestLargeScript(t *testing.T) {
	t.Parallel()
	testscript.Run(t, scriptsIn("testdata/large"))
}
