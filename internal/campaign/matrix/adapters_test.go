package matrix

import (
	"strings"
	"testing"
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
