package nemesis

import (
	"strings"
	"testing"
)

func TestAList(t *testing.T) {
	for spec, want := range map[string]string{ // the topology, or what is wrong
		"pause,failover":             "failover",
		"failover,pause":             "failover",
		"pause,partition,busy,crash": "single",
		"none,pause":                 "single",
		"clock-client,clock-client":  "single",
		"failover,failover-sentinel": "failover-sentinel cannot follow in this list: it needs the " +
			"topology sentinel, and what is before it failover; run them apart",
		"failover,restart": "restart cannot follow in this list: step ",
		"crash,restart": "restart cannot follow in this list: step 6: " +
			"resume: whether c0 still lives is unknown",
		"late,partition":      "partition cannot follow in this list: step ",
		"latency,late":        "late cannot follow in this list: step ",
		"pause,minority-loss": "minority-loss needs a lock on independent masters",
		"pause,earthquake":    `unknown nemesis "earthquake"`,
		"pause,":              `unknown nemesis ""`,
		"pause,./none.yaml":   "--nemesis names a file: cannot read ./none.yaml",
	} {
		fs, err := Parse(spec)
		var s Scenario
		if err == nil {
			s, err = fs.Scenario(params)
		}
		switch {
		case err == nil && s.Topology != want:
			t.Errorf("%s has the topology %s, want %s", spec, s.Topology, want)
		case err != nil && !strings.HasPrefix(err.Error(), want):
			t.Errorf("%s: %v\nwant %s", spec, err, want)
		}
	}
}

// TestAListIsOneAfterTheOther also counts what must hit.
func TestAListIsOneAfterTheOther(t *testing.T) {
	fs, err := Parse("pause,crash")
	if err != nil {
		t.Fatal(err)
	}
	s, err := fs.Scenario(params)
	if err != nil {
		t.Fatal(err)
	}
	var done []string
	for _, step := range s.Steps {
		if step.Fault() {
			done = append(done, step.Do)
		}
	}
	if strings.Join(done, " ") != "pause crash" || s.Aimed != 2 {
		t.Errorf("%v, %d must hit", done, s.Aimed)
	}
}

// TestEveryFaultInEveryEnvironment says for each fault and variant whether an environment has it,
// and looks that one which has not says why.
func TestEveryFaultInEveryEnvironment(t *testing.T) {
	missing := map[string]string{ // what no environment but these refuses
		"external": "failover failover-sentinel failover-cluster restart restart-delayed " +
			"clock-server busy node-pause node-crash minority-loss majority-loss",
		"docker":  "failover-cluster failover-sentinel:planned",
		"sim":     "failover-sentinel failover-cluster restart:disk",
		"process": "",
	}
	for _, g := range AllCapabilities() {
		everything(t, func(name string, s Scenario) {
			fault, _, _ := strings.Cut(name, ":")
			lacks := false
			for _, m := range strings.Fields(missing[g.Environment]) {
				lacks = lacks || m == fault || m == name
			}
			if fault == "random" {
				return // it has drawn from everything here; see TestRandomKeepsToItsCapabilities
			}
			err := g.Possible(s)
			if _, listed := missing[g.Environment]; !listed || (err != nil) != lacks &&
				!(g.Environment == "docker" &&
					name == "restart:disk") {
				t.Errorf("%s in the environment %s: %v", name, g.Environment, err)
			}
			if err != nil && !strings.HasPrefix(err.Error(), "not possible in this environment, because ") {
				t.Errorf("%s in the environment %s says %q", name, g.Environment, err)
			}
		})
	}
}
