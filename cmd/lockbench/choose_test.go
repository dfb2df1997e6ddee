package main

import (
	"strings"
	"testing"

	"github.com/lockbench/lockbench/internal/campaign/matrix"
	"github.com/lockbench/lockbench/internal/choose"
)

// TestAnAnswerFitsAScreen asks for each fault, alone and with a failover.
func TestAnAnswerFitsAScreen(t *testing.T) {
	var all [][]string
	for _, c := range matrix.AllColumns() {
		all = append(all, []string{c.Name}, []string{"failover", c.Name})
	}
	for _, faults := range all {
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

// TestAFaultWithoutAColumnHasAnAnswer: a fault that was not measured names what to type instead.
func TestAFaultWithoutAColumnHasAnAnswer(t *testing.T) {
	for fault, want := range map[string]string{
		"failover-sentinel": "; a similar one is failover",
		"disk-loss":         "`lockbench run --nemesis disk-loss` tries one",
	} {
		_, err := choose.Choose(choose.Query{Faults: []string{fault}})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", fault, err)
		}
	}
}
