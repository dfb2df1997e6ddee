package gate

import (
	"os"
	"strings"
	"testing"

	"github.com/lockbench/lockbench/internal/run/batch"
)

// TestFilesOfTheFirstVersionAreRead reads a gate that the first version has written, and judges it
// again from its runs.
func TestFilesOfTheFirstVersionAreRead(t *testing.T) {
	f, err := os.Open("../../format1/testdata/old/gate/gate.json")
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

// TestAGateFileOfTheFirstVersionIsRead reads the file that the old gate.json is the result of.
func TestAGateFileOfTheFirstVersionIsRead(t *testing.T) {
	const name = "../../format1/testdata/old/gate/lockbench.yaml"
	src, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	g, err := Read(name, src)
	if err != nil || g.Environment != "sim" || len(g.Entries) != 2 ||
		g.Entries[1].Environment != "sim" {
		t.Fatalf("%+v, %v", g, err)
	}
	own := strings.Replace(string(src), "- {impl: getset,", "- {world: process, impl: getset,", 1)
	if g, err = Read(name, []byte(own)); err != nil ||
		g.Entries[1].Environment != "process" {
		t.Errorf("%+v, %v", g, err)
	}
	_, err = Read(name, []byte("environment: sim\n"+string(src)))
	if err == nil || !strings.Contains(err.Error(), "second time") {
		t.Errorf("two names for the environment: %v", err)
	}
}
