package view_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/run/store"
	"github.com/lockbench/lockbench/reports/reporttest"
	"github.com/lockbench/lockbench/reports/view"
)

func TestOfWantsAHistory(t *testing.T) {
	if _, err := view.New(&store.Run{}); !errors.Is(err, view.ErrNoHistory) {
		t.Errorf("without a history: %v", err)
	}
}

// TestExplanationsAreToldOnce joins properties that are violated by the same holds.
func TestExplanationsAreToldOnce(t *testing.T) {
	holds := []checker.Hold{{Process: 0, N: 1, From: 1, To: 9}, {Process: 1, N: 1, From: 2, To: 8}}
	property := func(name, words string, n int) checker.Property {
		return checker.Property{Property: name, Verdict: checker.Violated, Class: checker.DoubleGrant,
			Explanation: words, Witness: &checker.Witness{Holds: holds[:n]}}
	}
	v := reporttest.View(t, &store.Run{History: &history.History{}, Verdict: &checker.Verdict{
		Verdict: checker.Violated, Properties: []checker.Property{property("S", "Both.", 2),
			property("L", "Both, leased.", 2), property("O", "Another's.", 2), property("D", "None.", 1)}}})
	var titles []string
	for _, w := range v.Violations {
		titles = append(titles, w.Title())
	}
	if want := []string{"S and L: double grant", "O: double grant", "D: double grant"}; !slices.Equal(
		titles, want) {
		t.Errorf("violations %q, want %q", titles, want)
	}
	if w := v.First(); !w.Together || w.Overlap() != 6 ||
		!slices.Equal(w.Told, []string{"Both, leased."}) {
		t.Errorf("first violation %+v", w)
	}
	if v.Violations[1].Together || v.Violations[1].Label() != "O: another's lock is released" {
		t.Errorf("second violation %+v", v.Violations[1])
	}
}

// TestNodesFollowTheirOwnStream reads what a node held from its commands, and its role from faults.
func TestNodesFollowTheirOwnStream(t *testing.T) {
	v := reporttest.View(t, reporttest.NewRun(t, reporttest.Scene{Clients: 4, Cycles: 14, Fail: true}))
	nodes := v.Redis()
	if len(nodes) != 2 || nodes[0].Name != "n0" || !nodes[0].Exact || len(nodes[0].Keys) == 0 {
		t.Fatalf("nodes %+v", nodes)
	}
	last := nodes[0].Keys[len(nodes[0].Keys)-1]
	if last.Ended != "node down" || last.Owner != v.First().Holds[0].Process {
		t.Errorf("the last key of n0 is %+v", last)
	}
	for i, want := range [][]string{{"master", "down"}, {"replica", "master"}} {
		var roles []string
		for _, r := range nodes[i].Roles {
			roles = append(roles, r.Name)
		}
		if !slices.Equal(roles, want) {
			t.Errorf("%s was %q, want %q", nodes[i].Name, roles, want)
		}
	}
}
