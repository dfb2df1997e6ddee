package gate

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/lockbench/lockbench/internal/dev/golden"
	"github.com/lockbench/lockbench/internal/run/batch/batchtest"
)

// TestGateFilesAreReadStrictly has one mistake in each file, and the line that a user gets for it.
func TestGateFilesAreReadStrictly(t *testing.T) {
	const head = "environment: sim\nentries:\n"
	const entry = "  - {impl: setnx, expect: safe}\n"
	for _, c := range []struct{ src, want string }{
		{"", "f.yaml:1:1: the file is empty; `lockbench gate --init` writes an example"},
		{"# only a comment\n",
			"f.yaml:1:1: the file is empty; `lockbench gate --init` writes an example"},
		{"- a\n", "f.yaml:1:1: the file must be names with values (name: value), not a list"},
		{"hello\n", "f.yaml:1:1: the file must be names with values (name: value), not a single value"},
		{head + entry + "---\nenvironment: sim\n",
			"f.yaml:5:12: a second document begins here; there may be one"},
		{"format: 1\nworld: sim\n", "f.yaml:1:9: it has format 1; this lockbench reads format 2"},
		{"format: 3\n", "f.yaml:1:9: it has format 3; this lockbench reads format 2"},
		{"environments: sim\n", `f.yaml:1:1: unknown field "environments"; did you mean "environment"?`},
		{"colour: red\n",
			`f.yaml:1:1: unknown field "colour"; there are: format, written, environment, seed, seeds, ` +
				`repeats, budget, defaults, allow_unknown, entries`},
		{head + "  - {impl: setnx, expect: safe, found: {runs: 5}}\n",
			"f.yaml:3:33: the entry has found, which takes the place of expect and replay; " +
				"remove one of them"},
		{head + "  - {impl: setnx, found: {runs: 5, must: [Q]}}\n",
			`f.yaml:3:19: found names "Q", an unknown property`},
		{head + "  - {impl: setnx, found: {runs: 5, may: {S: 6}}}\n",
			"f.yaml:3:19: found counts 6 of 5 runs"},
		{head + "  - {impl: setnx, expect: \"as found: S 5 of 5\"}\n",
			"f.yaml:3:19: expect cannot hold a snapshot; `lockbench gate --init` writes " +
				"snapshots under the key found:"},
		{"environment: sim\nenvironment: sim\n", `f.yaml:2:1: `},
		{"environment: auto\n",
			"f.yaml:1:1: environment: auto is refused: a gate that runs elsewhere tomorrow proves " +
				"something else tomorrow; name one of process, docker, external, sim"},
		{"environment: mars\n",
			`f.yaml:1:1: unknown environment "mars"; name one of process, docker, external, sim`},
		{"environment: [sim]\n", "f.yaml:1:14: environment must be one value, not a list"},
		{"environment:\n", "f.yaml:1:14: environment must be one value, not nothing"},
		{"entries:\n" + entry,
			"f.yaml:1:1: no environment is named; add a line such as `environment: process`; there are: " +
				"process, docker, external, sim"},
		{"environment: sim\n",
			"f.yaml:1:1: it has no entries, so there is nothing to prove; `lockbench gate --init` " +
				"writes an example"},
		{"environment: sim\nentries: 3\n",
			"f.yaml:2:10: entries must be a list (each item on a line of its own, after a dash), not a " +
				"single value"},
		{"environment: sim\nseeds: three\nentries:\n" + entry,
			`f.yaml:2:8: seeds is "three"; it must be a whole number of 1 or more`},
		{"environment: sim\nseeds: 0\nentries:\n" + entry,
			`f.yaml:2:8: seeds is "0"; it must be a whole number of 1 or more`},
		{"environment: sim\nseeds: 5000000\nentries:\n" + entry,
			"f.yaml:2:8: seeds is 5000000; at most 1000000 are possible"},
		{"environment: sim\nseed: -1\nentries:\n" + entry,
			`f.yaml:2:7: seed is "-1"; it must be a whole number of 0 or more`},
		{"environment: sim\nbudget: 5\nentries:\n" + entry,
			`f.yaml:2:9: budget is "5"; it must be a time above zero, such as 90s or 5m`},
		{"environment: sim\ndefaults: {tll: 2s}\nentries:\n" + entry,
			`f.yaml:2:12: unknown field "tll"; did you mean "ttl"?`},
		{"environment: sim\nallow_unknown: [nobody]\nentries:\n" + entry,
			"f.yaml:2:1: allow_unknown names \"nobody\", and no entry is called so; use an entry's `name:`"},
		{head + "  - setnx\n",
			"f.yaml:3:5: an item of entries must be names with values (name: value), not a single value"},
		{head + "  - {expect: safe}\n",
			"f.yaml:3:6: the entry has no lock and no counterexample; add `impl:`, `adapter:` or `replay:`"},
		{head + "  - {impl: setnx}\n",
			`f.yaml:3:6: the entry has no expectation; add "expect: safe" or "expect: violates S"`},
		{head + "  - {impl: setnx, expect: saef}\n",
			`f.yaml:3:27: expect: "saef" is not an expectation; write "safe", "violates S" or "violates S within 30 s"`},
		{head + "  - {impl: setnx, expect: violates Q}\n",
			`f.yaml:3:27: expect: "Q" names no property; write letters such as "violates S" or "violates S,L"`},
		{head + "  - {impl: setnx, expect: violates S within soon}\n",
			`f.yaml:3:27: expect: after "within" comes a time such as 30 s, not "soon"`},
		{head + "  - {impl: setnx, expect: safe, wait-replicas: 1}\n",
			`f.yaml:3:33: unknown field "wait-replicas"; did you mean "wait_replicas"?`},
		{head + "  - {impl: setnx, expect: safe, ttl: }\n",
			"f.yaml:3:37: ttl must be one value, not nothing"},
		{head + "  - {impl: setnx, expect: safe, name: \"\"}\n",
			"f.yaml:3:33: the name is empty; remove it or give one"},
		{head + entry + entry,
			"f.yaml:4:6: \"setnx under none\" is also the name of the entry in line 3; give one of them " +
				"another `name:`"},
		{head + "  - {impl: setnx, expect: safe, repeats: 3}\n",
			"f.yaml:3:33: repeats is 3; in the sim a seed gives the same run each time, so use seeds"},
		{"environment: sim\nrepeats: 2\nentries:\n" + entry,
			"f.yaml:4:6: repeats is 2; in the sim a seed gives the same run each time, so use seeds"},
		{head + "  - {impl: setnx, expect: violates S within 3s, budget: 4s}\n",
			"f.yaml:3:49: `within` is the budget of this entry; remove one of the two"},
		{head + "  - {replay: x.yaml, impl: setnx}\n",
			"f.yaml:3:22: impl is in the counterexample; an entry with replay takes it from there, so " +
				"remove it here"},
		{head + "  - {replay: x.yaml, seeds: 3}\n",
			"f.yaml:3:22: seeds means nothing for a replay; use repeats"},
		{head + "  - {replay: x.yaml, expect: violates S within 3s}\n",
			"f.yaml:3:22: a replay does one thing; remove `within`"},
		{head + "  - {replay: x.yaml, expect: safe}\n",
			"f.yaml:3:22: a replay shows that a violation still happens; that a lock is safe is shown by " +
				"an entry with `impl:` and `nemesis:`"},
		{head + "  - &a {impl: setnx, expect: safe}\n",
			"f.yaml:3:5: an anchor (&) is not supported; write the value in full"},
		{head + "  - {impl: setnx, expect: safe\n", "f.yaml:"},
		{"environment: sim\n\tentries: x\n", "f.yaml:"},
	} {
		_, err := Read("f.yaml", []byte(c.src))
		got := batchtest.ErrText(err)
		if got != c.want && !(strings.HasSuffix(c.want, ":") || strings.HasSuffix(c.want, ": ")) ||
			!strings.HasPrefix(got, c.want) || strings.Contains(got, "\n") {
			t.Errorf("%s\n got %s\nwant %s", c.src, got, c.want)
		}
	}
}

// TestAGateFileSaysAllThis reads a file with every key.
func TestAGateFileSaysAllThis(t *testing.T) {
	g, err := Read("ci/f.yaml", []byte(`
environment: process
seed: 7
seeds: 2
repeats: 3
budget: 1 m
defaults:
  ttl: 500ms
  clients: 3
allow_unknown: [shaky]
entries:
  - name: shaky
    impl: token-lua
    nemesis: failover
    expect: safe
    clients: 8
    redis_config: {appendonly: "yes", maxmemory: 10mb}
    properties: [S, L]
    budget: 30s
  - impl: setnx
    nemesis: random
    environment: sim
    repeats: 1
    expect: violates SL within 30 s
  - replay: late.yaml
`))
	if err != nil {
		t.Fatal(err)
	}
	golden.Compare(t, "gate_file.json", func() []byte {
		b, err := json.MarshalIndent(g, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		return append(b, '\n')
	}())
}

func TestExpectationsAsText(t *testing.T) {
	for text, want := range map[string]string{
		"safe": "safe", "violates": "violates", "violates S": "violates S", "violates SL": "violates S,L",
		"violates S, L":          "violates S,L",
		"violates exactly:S,L":   "violates exactly:S,L",
		"violates S within 30 s": "violates S within 30s", "violates within 1m": "violates within 1m",
		"  violates   S,O within 1h0m ": "violates S,O within 1h",
	} {
		e, err := ParseExpectation(text)
		if err != nil || e.String() != want {
			t.Errorf("%q: %q, want %q; %v", text, e, want, err)
		}
		back, err := ParseExpectation(e.String())
		if d := cmp.Diff(e, back); err != nil || d != "" {
			t.Errorf("%q does not come back: %v %s", e, err, d)
		}
	}
}

// FuzzReadGate: any bytes are a gate or an error in one line with a place.
func FuzzReadGate(f *testing.F) {
	for _, s := range []string{"", "environment: sim\nentries:\n  - {impl: setnx, expect: safe}\n",
		"a: [",
		"? {}\n: x", "environment: *a", "- - -", "entries: [[{}]]", "!!x y: z",
		"environment: sim\nentries: [{replay: x}]"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		g, err := Read("f.yaml", src)
		switch {
		case err == nil && len(g.Entries) == 0:
			t.Error("a gate without entries passes everything")
		case err != nil && (strings.Contains(err.Error(), "\n") ||
			!strings.HasPrefix(err.Error(), "f.yaml:")):
			t.Errorf("%q", err)
		}
	})
}

// TestAnAdapterHasTheNameOfItsFolder also if its path has none.
func TestAnAdapterHasTheNameOfItsFolder(t *testing.T) {
	for path, want := range map[string]string{".": "mylock under none", "..": "locks under none",
		"./other": "./other under none"} {
		g, err := Read("/locks/mylock/lockbench.yaml", []byte("environment: process\nentries:\n"+
			"  - {adapter: "+path+", expect: safe}\n"))
		if err != nil {
			t.Fatal(err)
		}
		if got := g.Entries[0].Title(); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}
