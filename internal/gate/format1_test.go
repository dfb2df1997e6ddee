package gate

import (
	"os"
	"testing"

	"github.com/lockbench/lockbench/internal/batch"
)

// TestFilesOfTheFirstVersionAreRead reads a gate that the first version has written, and judges it
// again from its runs.
func TestFilesOfTheFirstVersionAreRead(t *testing.T) {
	f, err := os.Open("../format1/testdata/old/gate/gate.json")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := ReadResult(f)
	if err != nil || r.Gate.Environment != "sim" || len(r.Entries) != 2 || r.Result != Passed {
		t.Fatalf("%+v, %v", r, err)
	}
	e := r.Entries[1]
	if e.Environment != "sim" || e.Runs[0].Properties["S"] != "violated" ||
		e.Runs[0].Explanations["S"] == "" || e.Shown == nil || e.Shown.Explanation == "" {
		t.Errorf("%s: %+v", e.Name, e)
	}
	r.Shard = batch.Shard{Index: 1, Of: 1}
	again, err := Merge([]Part{{Name: "old", Result: r}}, false)
	if err != nil || again.Result != Passed || again.Entries[0].Claim != r.Entries[0].Claim {
		t.Errorf("%v\n%s\n%s", err, again.Entries[0].Claim, r.Entries[0].Claim)
	}
}
