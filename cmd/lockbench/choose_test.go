package main

import (
	"strings"
	"testing"

	"github.com/lockbench/lockbench/internal/choose"
)

// TestAnAnswerWithoutALockFitsAScreen asks for locks that survive a failover.
func TestAnAnswerWithoutALockFitsAScreen(t *testing.T) {
	for _, faults := range [][]string{{"failover"}, {"failover", "restart"}} {
		q := choose.Query{Faults: faults}
		all, err := choose.Choose(q)
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		if err := writeChoices(&b, all, q, false); err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(b.String(), "\n"); n > 24 {
			t.Errorf("%v: %d lines:\n%s", faults, n, b.String())
		}
	}
}
