package sim_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/lockbench/lockbench/internal/env/sim"
)

var update = flag.Bool("update", false, "write what the scenarios under testdata print into them")

// TestScenarios plays the scenarios under testdata: blocks of orders, four dashes, and what follows
// from them.
func TestScenarios(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d scenarios found: %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got, err := play(string(text))
			if err != nil {
				t.Fatal(err)
			}
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if d := cmp.Diff(string(text), got); d != "" && !*update {
				t.Errorf("%s is not what happens (-file +run); look, and then run with -update:\n%s", file, d)
			}
		})
	}
}

// block is a part of a scenario: comments and orders as they stand there, and the orders alone.
type block struct {
	text   string
	orders []string
}

// blocks cuts a scenario into blocks. What stood under the dashes is dropped.
func blocks(text string) (all []block) {
	var b block
	output := false
	for line := range strings.Lines(text) {
		trimmed := strings.TrimSpace(line)
		switch {
		case output:
			output = trimmed != ""
		case trimmed == "----":
			all, b, output = append(all, b), block{}, true
		default:
			b.text += line
			if trimmed != "" && trimmed[0] != '#' {
				b.orders = append(b.orders, trimmed)
			}
		}
	}
	if b.text != "" {
		all = append(all, b)
	}
	return all
}

// play runs a scenario and returns it with what happened. Its first order makes the environment.
func play(text string) (string, error) {
	bs := blocks(text)
	if len(bs) == 0 || len(bs[0].orders) == 0 {
		return "", fmt.Errorf("the scenario has no orders")
	}
	cfg, err := environmentOf(bs[0].orders[0])
	if err != nil {
		return "", err
	}
	var out strings.Builder
	err = sim.Run(cfg, func(w *sim.Environment) error {
		s := newStage(w, cfg)
		for _, b := range bs {
			out.WriteString(b.text)
			for _, o := range b.orders {
				if err := s.do(o); err != nil {
					return fmt.Errorf("%s: %w", o, err)
				}
			}
			if len(b.orders) > 0 {
				out.WriteString("----\n" + s.news() + "\n")
			}
		}
		return nil
	})
	return strings.TrimRight(out.String(), "\n") + "\n", err
}
