package nemesis

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// examples are the schedules of the documentation.
func examples(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob("../docs/examples/faults/*")
	if err != nil || len(files) < 2 {
		t.Fatalf("examples: %v, %v", files, err)
	}
	return files
}

func TestExamplesCanBePlayed(t *testing.T) {
	for _, f := range examples(t) {
		fs, err := Parse(f)
		if err != nil {
			t.Error(err)
			continue
		}
		p, aimed := params, 1
		if w := fs[0].written; w.Topology == Independent {
			p.Nodes = 5
			aimed = *w.Hits
		}
		if s, err := fs.Scenario(p); err != nil || len(s.Steps) < 5 || s.Aimed != aimed {
			t.Errorf("%s: %d steps, %d must hit, %v", f, len(s.Steps), s.Aimed, err)
		}
	}
}

// TestTimesOfASchedule are in leases of the plan, and drawn by its seed.
func TestTimesOfASchedule(t *testing.T) {
	text := "client_timeout: 0.5ttl\nsteps:\n- {do: pause-node, target: n0}\n- {do: wait, for: " +
		"1.3ttl}\n- {do: wait, upto: 2s}\n- {do: wait, until: 1s, upto: 2s}\n- {do: resume-node, " +
		"target: n0}\n"
	s, err := DecodeSchedule("x.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	seen := map[time.Duration]bool{}
	for seed := range uint64(20) {
		p := params
		p.Seed = seed
		out, err := s.scenario(p)
		if err != nil {
			t.Fatal(err)
		}
		if w := out.Steps[1].For.D(); w != 650*time.Millisecond || out.Timeout != 250*time.Millisecond ||
			out.Aimed != 1 || !out.Steps[0].Aimed {
			t.Fatalf("1.3 leases are %v, the time-out is %v, %d must hit", w, out.Timeout, out.Aimed)
		}
		upTo, until := out.Steps[2].For.D(), out.Steps[3].Until.D()
		if upTo <= 0 || upTo > 2*time.Second || until <= time.Second || until > 2*time.Second ||
			out.Steps[3].For != 0 {
			t.Errorf("drawn: %v and %v", upTo, until)
		}
		seen[upTo] = true
	}
	if len(seen) < 15 {
		t.Errorf("20 seeds drew %d times", len(seen))
	}
}

// TestWrongSchedules wants one line that names the file and, where there is one, the line in it.
func TestWrongSchedules(t *testing.T) {
	for text, want := range map[string]string{
		"":                                      "x.yaml:1:1: the file is empty",
		"steps: []":                             "x.yaml:1: it has no steps",
		"steps: 3":                              "x.yaml:1:",
		"steps:\n- do: kill\n  aim: n0":         `x.yaml:3:3: unknown field "aim"`,
		"steps:\n- do: kill\n  for: [1]":        "x.yaml:3:",
		"step:\n- do: kill":                     `x.yaml:1:1: unknown field "step"`,
		"steps:\n- {do: kill":                   "x.yaml:2:",
		"topology: ring\nsteps:\n- do: quiesce": `x.yaml: unknown topology "ring"; there are: single, failover, independent, sentinel, cluster`,
		"replicas: 1\nsteps:\n- do: quiesce": "x.yaml: replicas is 1; 1 to 4 are possible with " +
			"the topology failover, and 1 behind each of independent masters",
		"steps:\n- do: quiesce\n- do: kil":                                    `x.yaml:3:3: step 2: "kil" is not a step`,
		"# a remark\n\nsteps:\n  - do: quiesce\n  - do: kill\n    target: n1": `x.yaml:5:5: step 2: kill: unknown node "n1"; there are: n0`,
		"steps:\n- {do: wait, for: later}":                                    `x.yaml:2:4: step 1: for: "later" is not a time; write it like "130ms" or, in leases, "1.3ttl"`,
		"steps:\n- {do: wait, for: xttl}":                                     `x.yaml:2:4: step 1: for: "xttl" is not a time; write it like "130ms" or, in leases, "1.3ttl"`,
		"steps:\n- {do: go, nth: 2}":                                          `x.yaml:2:4: step 1: "nth" is for an await, and "only" for faults.yaml`,
		"steps:\n- quiesce\n- kill n7":                                        `x.yaml:3:3: step 2: kill: unknown node "n7"`,
		"steps:\n- wait for ever":                                             `x.yaml:2:3: step 1: for: "for ever" is not a time`,
		"steps:\n- {do: wait, for: 1e9ttl}":                                   `x.yaml:2:4: step 1: for: "1e9ttl" is not a number of leases`,
		"steps:\n- {do: wait, for: 2s, upto: 1s}":                             `x.yaml:2:4: step 1: "upto" is 1s; it must be later than 2s`,
		"steps:\n- {do: quiesce, upto: 1s}":                                   `x.yaml:2:4: step 1: "upto" is for a wait`,
		"client_timeout: often\nsteps:\n- do: quiesce":                        `x.yaml: client_timeout: "often" is not a time`,
		"topology: independent\nsteps:\n- do: quiesce": "x.yaml needs " +
			"a lock on independent masters, such as redlock",
		`{"steps": [{"do": "quiesce"},` + "\n" +
			`{"do": "heal"}]}`: `x.yaml:2:2: step 2: heal: unknown link ""`,
		"steps:\n- await: {phase: granted, who: c0}": `x.yaml:2:27: unknown field "who"`,
	} {
		s, err := DecodeSchedule("x.yaml", []byte(text))
		if err == nil {
			_, err = s.scenario(params)
		}
		if err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q\n got %v\nwant %s", text, err, want)
		}
	}
}

// FuzzSchedule wants an error, and no panic, of whatever is no schedule; and what is one keeps to
// the rules.
func FuzzSchedule(f *testing.F) {
	for _, name := range examples(f) {
		b, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Add([]byte(
		"steps:\n- {do: wait, for: 1ttl, upto: 2ttl}\n- await: {command: ^set, at: sent, nth: 3}\n  " +
			"for: 1s"))
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := DecodeSchedule("x.yaml", b)
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("more than one line: %q", err)
			}
			return
		}
		out, err := s.scenario(params)
		if err != nil {
			return
		}
		if err := Check(out.Steps, out.Layout(params)); err != nil {
			t.Errorf("%q: %v", b, err)
		}
	})
}
