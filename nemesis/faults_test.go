package nemesis

import (
	"regexp"
	"slices"
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
			"topology sentinel, and the fault before it failover; run them separately",
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

// TestAnEnsembleIsForSystemsThatHaveOne says which of them, and looks that no member of it is
// started empty: the others would not know it.
func TestAnEnsembleIsForSystemsThatHaveOne(t *testing.T) {
	planned, _, _ := Find("leader-loss")
	s, err := planned.Scenario("planned", params)
	if err != nil {
		t.Fatal(err)
	}
	can := func(system string, s Scenario) bool {
		return CapabilitiesOf("process").On(system).Possible(s) == nil
	}
	quiet, empty := Scenario{Topology: Ensemble}, Scenario{Topology: Ensemble, Steps: []Step{
		{Do: KillNode, Target: "n0"}, {Do: LoseDisk, Target: "n0"}, {Do: Start, Target: "n0"}}}
	for system, want := range map[string][3]bool{"etcd": {true, true}, "zookeeper": {true},
		"postgres": {}, "pgbouncer": {}, "mariadb": {}, Redis: {}} {
		if is := [3]bool{can(system, quiet), can(system, s), can(system, empty)}; is != want {
			t.Errorf("%s: an ensemble, one whose leader hands over, one that is started empty: %v",
				system, is)
		}
	}
}

// TestEveryFaultInEveryEnvironment says for each fault and variant whether an environment has it,
// and looks that one which has not says why.
func TestEveryFaultInEveryEnvironment(t *testing.T) {
	missing := map[string]string{ // what no environment but these refuses; no Redis is an ensemble
		"external": "suspend",
		"docker":   "cluster ensemble failover-sentinel:planned clock-server:stand suspend",
		"sim":      "sentinel cluster ensemble disk-loss start-in-outage",
		"process":  "ensemble suspend",
	}
	for _, g := range AllCapabilities() {
		everything(t, func(name string, s Scenario) {
			fault, _, _ := strings.Cut(name, ":")
			lacks := g.Environment == "external" && ofServers(s)
			for _, m := range strings.Fields(missing[g.Environment]) {
				lacks = lacks || m == fault || m == name || m == s.Topology
			}
			if fault == "random" {
				return // it has drawn from everything here; see TestRandomKeepsToItsCapabilities
			}
			err := g.Possible(s)
			if _, listed := missing[g.Environment]; !listed || (err != nil) != lacks {
				t.Errorf("%s in the environment %s: %v", name, g.Environment, err)
			}
			if err != nil && !strings.HasPrefix(err.Error(), "not possible in this environment, because ") {
				t.Errorf("%s in the environment %s says %q", name, g.Environment, err)
			}
		})
	}
}

// ofServers reports whether a scenario needs more than servers that run anyway: an arrangement of
// them, or a step that acts on one.
func ofServers(s Scenario) bool {
	return s.Replicas > 0 || slices.Contains([]string{Failover, Sentinel, Cluster, Ensemble},
		s.Topology) || slices.ContainsFunc(s.Steps, func(step Step) bool {
		a, _ := ActionOf(step.Do)
		return a.Target == Node || a.Target == Copy
	})
}

// TestAVoteThatIsTakenBackLate: a tap does not see the commands that cannot be sent, so that of a
// library the first command that gives the key back tells that its first try is over. The library
// is told to give up soon.
func TestAVoteThatIsTakenBackLate(t *testing.T) {
	faults, err := Parse("late:vote")
	if err != nil {
		t.Fatal(err)
	}
	for tapped, want := range map[bool]Await{
		false: {As: "owner", Client: "c0", Command: "^set ", Means: OnKey, At: After, Nth: 3},
		true:  {As: "owner", Client: "c0", Command: undoes, At: Before},
	} {
		p := params
		p.Nodes, p.Tapped = 3, tapped
		s, err := faults.Scenario(p)
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(s.Steps, func(s Step) bool { return s.Await != nil })
		if got := *s.Steps[i].Await; got != want || !s.GivesUp {
			t.Errorf("tapped %v: %+v, gives up %v", tapped, got, s.GivesUp)
		}
	}
	for _, command := range []string{"evalsha a 1 k v", "del k"} {
		if !regexp.MustCompile(undoes).MatchString(command) {
			t.Errorf("%q does not undo a try", command)
		}
	}
	if regexp.MustCompile(undoes).MatchString("set k v nx") {
		t.Error("a set undoes a try")
	}
}
