package main

import (
	"testing"

	"github.com/lockbench/lockbench/adapters"
	"github.com/lockbench/lockbench/internal/dev/testenv"
)

// runsHere reports whether the adapter of a cell, if any, and its system are there.
func runsHere(t *testing.T, cell []string) bool {
	if cell[0] != "--adapter" {
		return true
	}
	a, err := adapters.Find(cell[1])
	if err != nil {
		t.Fatal(err)
	}
	if !testenv.Required("adapters") && (a.Missing() != nil || !a.IsSetUp()) {
		return false
	}
	system := a.System
	if system == "" {
		system = "redis"
	}
	here, err := testenv.Have(system)
	if err != nil {
		t.Fatal(err)
	}
	return here
}
