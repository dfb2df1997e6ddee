package matrix

import (
	"strings"
	"testing"

	"github.com/lockbench/lockbench/nemesis"
)

// TestAllAdaptersAreLibraries: what documents posted is compared on a page of its own.
func TestAllAdaptersAreLibraries(t *testing.T) {
	rows, err := adapterRows([]string{All})
	if err != nil || len(rows) < 60 {
		t.Fatalf("%d rows: %v", len(rows), err)
	}
	for _, r := range rows {
		if strings.HasPrefix(r.Adapter, "posted-") || r.Adapter == "token-ifeq" {
			t.Errorf("%s is no library", r.Name)
		}
	}
	if rows, err := adapterRows([]string{"posted-d000"}); err != nil || len(rows) == 0 {
		t.Errorf("asked for by its name it has %d rows: %v", len(rows), err)
	}
}

// TestOwnLocksAskNoAdapter wants no search among the adapters for a lock that has none: the advice
// of a run asks each row of the records for its system many times.
func TestOwnLocksAskNoAdapter(t *testing.T) {
	r := Row{Name: "setnx", Impl: "setnx"}
	if n := testing.AllocsPerRun(5, func() { r.System() }); n > 0 || r.System() != nemesis.Redis {
		t.Errorf("the system of %s is %s, after %v allocations", r.Name, r.System(), n)
	}
}
