package explore

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lockbench/lockbench/internal/harness"
)

func TestAKeeperSavesOneOfEachKind(t *testing.T) {
	s := Search{Options: harness.RunOptions{Impl: "getset", Nemesis: "pause"}, Schedule: Random,
		Moments: Aimed, Seeds: 20, KeepGoing: true}
	hits, p, err := s.Find(context.Background())
	if err != nil || len(hits) < 2 {
		t.Fatalf("%d hits: %v", len(hits), err)
	}
	kinds := map[string]bool{}
	for _, h := range hits {
		kinds[h.Property+h.Class] = true
	}
	root := t.TempDir()
	first := filepath.Join(root, "first.yaml")
	found, err := Keeper{Store: root, Out: first, AsIs: true}.Keep(context.Background(), hits)
	if err != nil || len(found) != len(kinds) || found[0].File != first {
		t.Fatalf("%d of %d kinds: %v", len(found), len(kinds), err)
	}
	for _, f := range found {
		if _, err := os.Stat(f.File); err != nil || f.ShrinkRuns != 0 || f.Steps == 0 {
			t.Errorf("%+v: %v", f, err)
		}
	}
	var b strings.Builder
	if err := (Findings{Impl: "getset", Nemesis: "pause", Progress: p, Found: found}).Text(&b); err !=
		nil {
		t.Fatal(err)
	}
	for _, want := range []string{"getset under pause violates S", "more to make it small",
		"replay         lockbench replay " + first} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is not in\n%s", want, &b)
		}
	}
	var unsaved SaveError
	_, err = Keeper{Store: "/dev/null", AsIs: true}.Keep(context.Background(), hits[:1])
	if !errors.As(err, &unsaved) {
		t.Errorf("error is %v", err)
	}
}
