package nemesis

import (
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden file")

// TestScenariosStay holds every scenario to what it was: the same plan must give the same run in a
// later version. A change that is meant is written with -update.
func TestScenariosStay(t *testing.T) {
	var out strings.Builder
	everything(t, func(name string, s Scenario) {
		b, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&out, "%s %s %d steps %x\n", name, s.Topology, len(s.Steps), sha256.Sum256(b))
	})
	golden := filepath.Join("testdata", "scenarios.txt")
	if *update {
		if err := os.WriteFile(golden, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	is, was := strings.Split(out.String(), "\n"), strings.Split(string(want), "\n")
	for i := range max(len(is), len(was)) {
		if i >= len(is) || i >= len(was) || is[i] != was[i] {
			t.Fatalf("scenario %d is not what it was; if that is meant, run with -update", i+1)
		}
	}
}

// TestEffects looks that every effect belongs to a fault, and begins with a step that can be aimed.
func TestEffects(t *testing.T) {
	on := On{Client: "c0", Links: "c0>*", Nodes: []string{"n0"}, Copy: "n1", For: 1}
	for _, entry := range All() {
		fault := entry.Name
		e, ok := params.Effect(fault, "", on)
		if !ok {
			continue
		}
		if len(e.Begin) == 0 || !listed(e.Begin[0].action().may, "aimed") {
			t.Errorf("%s begins with %v", fault, e.Begin)
		}
		if err := Check(append(e.Begin, e.End...), Layout{Topology: Failover, Clients: 2}); err != nil {
			t.Errorf("%s: %v", fault, err)
		}
	}
	if _, ok := params.Effect("overrun", "", on); ok {
		t.Error("to work for too long is an effect")
	}
}
