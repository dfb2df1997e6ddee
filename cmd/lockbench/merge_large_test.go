package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/lockbench/lockbench/internal/dev/testenv"

	"github.com/google/go-cmp/cmp"
	"github.com/lockbench/lockbench/internal/campaign/gate"
	"github.com/lockbench/lockbench/internal/campaign/matrix"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/run/batch"
	"github.com/lockbench/lockbench/internal/run/store"
	"github.com/spf13/pflag"
)

// must runs lockbench and demands an exit code.
func must(t *testing.T, code int, args ...string) string {
	t.Helper()
	var out, say bytes.Buffer
	if got := Main(t.Context(), args, &out, &say); got != code {
		t.Fatalf("lockbench %s: exit code %d, want %d\n%s%s", strings.Join(args, " "), got, code,
			out.String(), say.String())
	}
	return out.String()
}

// timed are the fields that a clock measured, and the directory that a command names.
var timed = regexp.MustCompile(`("took"|"took_ns"|"reproduce"): ?"?[^,}"]*"?`)

func timeless(t *testing.T, file string) string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return timed.ReplaceAllString(string(b), `$1:""`)
}

// TestPureShardsOfAMatrix runs a part of the matrix in the simulator, whole and in shards:
// what merge makes of the shards is the same, cell by cell and run by run, down to the records.
func TestPureShardsOfAMatrix(t *testing.T) {
	testenv.SkipRace(t)
	t.Parallel()
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	args := []string{"matrix", "--env", "sim", "--impl", "setnx,getset-java", "--nemesis",
		"none,pause", "--repeat", "2"}
	must(t, 0, append(args, "--store", at("whole"))...)
	const shards = 3
	merge := []string{"merge", "--out", at("joined")}
	for i := 1; i <= shards; i++ {
		store := at(fmt.Sprint(i))
		must(t, 0, append(args, "--store", store, "--shard", fmt.Sprintf("%d/%d", i, shards))...)
		merge = append(merge, filepath.Join(store, "latest"))
	}
	must(t, 0, merge...)
	if d := cmp.Diff(timeless(t, filepath.Join(at("whole"), "latest", matrix.File)),
		timeless(t, filepath.Join(at("joined"), matrix.File))); d != "" {
		t.Error(d)
	}
	whole, err := matrix.OpenPart(at("joined"))
	if err != nil {
		t.Fatal(err)
	}
	runs := 0
	for _, c := range whole.Matrix.Cells {
		for _, r := range c.Runs {
			runs++
			whole, err1 := os.ReadFile(filepath.Join(at("whole"), "latest", r.Dir, store.Packed))
			part, err2 := os.ReadFile(filepath.Join(at("joined"), r.Dir, store.Packed))
			if err1 != nil || err2 != nil || !bytes.Equal(whole, part) {
				t.Errorf("%s is another run: %v %v", r.Dir, err1, err2)
			}
		}
	}
	if runs < 12 {
		t.Errorf("only %d runs", runs)
	}
	if _, err := os.Lstat(at("latest")); err == nil {
		t.Fatal("--out left a link beside the directory")
	}
	must(t, 0, "matrix", "--resume", at("joined")) // nothing is left to do
}

// TestPureShardsOfAGate does the same with a gate, with an entry that fails and one that
// searches.
func TestPureShardsOfAGate(t *testing.T) {
	testenv.SkipRace(t)
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "g.yaml")
	src := `
environment: sim
defaults: {ttl: 500ms}
entries:
  - {impl: token-lua, nemesis: crash, expect: safe, seeds: 4}
  - {impl: token-lua, nemesis: failover, expect: safe}
  - {impl: setpx-del, nemesis: late, expect: violates O within 60 s}
`
	if err := os.WriteFile(file, []byte(src), 0o644); err != nil {
		t.Fatal(err)
	}
	must(t, 1, "gate", file, "--out", filepath.Join(dir, "whole"))
	merge := []string{"merge", "--out", filepath.Join(dir, "joined")}
	for i := 1; i <= 2; i++ {
		out := filepath.Join(dir, fmt.Sprint(i))
		Main(t.Context(), []string{"gate", file, "--out", out, "--shard", fmt.Sprintf("%d/2", i)},
			io.Discard, io.Discard)
		merge = append(merge, out)
	}
	must(t, 1, merge...)
	if d := cmp.Diff(timeless(t, filepath.Join(dir, "whole", gate.ResultFile)),
		timeless(t, filepath.Join(dir, "joined", gate.ResultFile))); d != "" {
		t.Error(d)
	}
}

// TestOneAtWorkInADirectory: what writes into a directory refuses one in which another process is
// at work, in one line.
func TestOneAtWorkInADirectory(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	at := func(name ...string) string { return filepath.Join(append([]string{dir}, name...)...) }
	file := at("g.yaml")
	if err := os.WriteFile(file, []byte("environment: sim\nentries:\n"+
		"  - {impl: token-lua, nemesis: none, expect: safe}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	must(t, 0, "gate", file, "--out", at("part"), "--shard", "1/1")
	must(t, 0, "matrix", "--env", "sim", "--impl", "setnx", "--nemesis", "none", "--store", at("m"))
	for work, args := range map[string][]string{
		at("gate"):                      {"gate", file, "--out", at("gate")},
		at("merge"):                     {"merge", at("part"), "--out", at("merge")},
		at("m", "matrix-all", "latest"): {"matrix", "--resume", at("m", "matrix-all", "latest")},
	} {
		if err := os.MkdirAll(work, 0o755); err != nil {
			t.Fatal(err)
		}
		lock, err := batch.Lock(work)
		if err != nil {
			t.Fatal(err)
		}
		var said strings.Builder
		code := Main(t.Context(), args, io.Discard, &said)
		if code != exitUsage || strings.Count(said.String(), "\n") != 1 ||
			!strings.Contains(said.String(), "another lockbench is at work in") {
			t.Errorf("%v: exit code %d, %s", args, code, said.String())
		}
		lock.Close()
	}
}

// TestASearchHasEveryOptionOfALock: explore has the flags of run that are about the lock and its
// clients, and those that it lacks are here with the reason.
func TestASearchHasEveryOptionOfALock(t *testing.T) {
	t.Parallel()
	lacks := map[string]string{
		"env": "it is the simulator", "server": "",
		"redis-image": "", "docker-network": "", "workers": "", "addr": "",
		"tls": "", "any-database": "", "redis-config": "the simulator has no settings",
		"story": "it has a plan of its own", "plan": "a counterexample is replayed",
		"expect": "the answer is what is found", "quiet": "",
		"stop-on-violation": "it does", "thorough": "--keep-going",
	}
	run, search := pflag.NewFlagSet("run", pflag.ContinueOnError),
		pflag.NewFlagSet("explore", pflag.ContinueOnError)
	new(runFlags).register(run)
	new(exploreFlags).register(search)
	run.VisitAll(func(f *pflag.Flag) {
		if _, no := lacks[f.Name]; no != (search.Lookup(f.Name) == nil) {
			t.Errorf("--%s: explore has it: %v", f.Name, no)
		}
	})
}

// TestAGateHasEveryOptionOfRun: a flag of run that says what is done can be written in a gate file,
// and changes the plan there as it does in run.
func TestAGateHasEveryOptionOfRun(t *testing.T) {
	values := map[string]string{"duration": "350ms", "int": "3", "bool": "true", "stringSlice": "S",
		"stringArray": "appendonly=yes", "string": "x", "uint64": "3"}
	special := map[string]string{
		"impl": "redisson", "adapter": "redis-py", "nemesis": "pause",
		"workload": "reentrant", "variant": "",
		"topology": "failover", "ttl": "600ms", "watchdog": "false",
		"node-timeout": "", "masters": "", "keys": "2", "redis-image": "", "docker-network": "",
		"workers": "", "addr": "", "tls": "", "any-database": "",
		"wait-replicas": "1", "server": "",
	}
	set := pflag.NewFlagSet("run", pflag.ContinueOnError)
	new(runFlags).register(set)
	tried := 0
	set.VisitAll(func(f *pflag.Flag) {
		key := strings.ReplaceAll(f.Name, "-", "_")
		value, named := special[f.Name]
		if !named {
			value = values[f.Value.Type()]
		}
		if slices.Contains([]string{"env", "seed", "expect", "plan", "store", "story", "quiet", "json",
			"verbose"}, f.Name) {
			return // the gate has them itself, or they change only what is said
		}
		if value == "" {
			return // for one environment or one lock only; the flag is read by the same code
		}
		tried++
		options := map[string]string{"impl": "redisson"}
		options[key] = value
		if key == "adapter" {
			delete(options, "impl") // in its place
		}
		var args []string
		src := "environment: process\nentries:\n  - expect: safe\n"
		for k, v := range options {
			src += fmt.Sprintf("    %s: %s\n", k, v)
			args = append(args, "--"+strings.ReplaceAll(k, "_", "-")+"="+v)
		}
		g, err := gate.Read("f.yaml", []byte(src))
		if err != nil {
			t.Errorf("%s: %v", key, err)
			return
		}
		got, err := g.Entries[0].Plan(5)
		if err != nil {
			t.Errorf("%s: %v", key, err)
			return
		}
		var rf runFlags
		own := pflag.NewFlagSet("run", pflag.ContinueOnError)
		rf.register(own)
		if err := own.Parse(append(args, "--seed=5", "--env=process")); err != nil {
			t.Fatal(err)
		}
		if err := rf.read(own); err != nil {
			t.Fatal(err)
		}
		want, err := harness.NewPlan(rf.RunOptions)
		if err != nil {
			t.Fatal(err)
		}
		a, _ := json.Marshal(got)
		b, _ := json.Marshal(want)
		if d := cmp.Diff(string(b), string(a)); d != "" {
			t.Errorf("%s:\n%s", key, d)
		}
	})
	if tried < 18 {
		t.Errorf("only %d options were tried", tried)
	}
}
