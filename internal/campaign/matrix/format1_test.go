package matrix

import (
	"os"
	"strings"
	"testing"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/run/batch"
)

// TestFilesOfTheFirstVersionAreRead reads a matrix that the first version has written.
func TestFilesOfTheFirstVersionAreRead(t *testing.T) {
	const dir = "../../format1/testdata/old/matrix/"
	o, err := batch.ReadFile[Options](dir + "options.json")
	if err != nil || o.Environment != "sim" || o.Rows[0] != "token-lua" || o.Seed != 1 {
		t.Fatalf("%+v, %v", o, err)
	}
	f, err := os.Open(dir + "results.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	results, err := ReadResults(f)
	if err != nil || len(results) == 0 {
		t.Fatalf("%d results, %v", len(results), err)
	}
	for _, r := range results {
		if len(r.Properties) < 6 {
			t.Errorf("%s: %v", r.Dir, r.Properties)
		}
		for _, l := range r.Violated() {
			if !strings.HasSuffix(r.Explanations[l], ".") {
				t.Errorf("%s: %s is not told: %q", r.Dir, l, r.Explanations[l])
			}
		}
	}
	m, err := batch.ReadFile[Matrix](dir + "matrix.json")
	if err != nil || m.Environment != "sim" || len(m.Cells) != 2 {
		t.Fatalf("%v, %v", m, err)
	}
	again, err := New(*o, results)
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range m.Cells {
		if c.String() != again.Cells[i].String() || c.Property("S").Found != checker.Violated ||
			c.Runs[0].Explanations["S"] == "" || c.Property("F").Reason == "" {
			t.Errorf("%s, %s: %s, and anew %s", c.Row, c.Column, &c, &again.Cells[i])
		}
	}
}
