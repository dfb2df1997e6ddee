package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/lockbench/lockbench/internal/gate"

	"github.com/goccy/go-yaml"
	"github.com/lockbench/lockbench/internal/testenv"
)

// examples are the pipelines of docs/ci.md.
const examples = "../../docs/examples"

// shell are the scripts of a pipeline, in the order in which a machine would run them.
type shell struct {
	name   string
	script string
}

// document reads a YAML file as a machine would.
func document(t *testing.T, name string) map[string]any {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(examples, name))
	if err != nil {
		t.Fatal(err)
	}
	var doc map[string]any
	if err := yaml.UnmarshalWithOptions(b, &doc, yaml.Strict()); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return doc
}

// scripts finds what a document gives to a shell: the values of the given keys, wherever they are,
// by the name of the job or the step.
func scripts(node any, keys []string, name string, out *[]shell) {
	switch n := node.(type) {
	case map[string]any:
		if s, ok := n["name"].(string); ok {
			name = s
		}
		for _, k := range sortedNames(n) {
			if !slices.Contains(keys, k) {
				scripts(n[k], keys, name, out)
				continue
			}
			switch v := n[k].(type) {
			case string:
				*out = append(*out, shell{name, v})
			case []any:
				for _, line := range v {
					*out = append(*out, shell{name, line.(string)})
				}
			}
		}
	case []any:
		for _, x := range n {
			scripts(x, keys, name, out)
		}
	}
}

func sortedNames(m map[string]any) (out []string) {
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// expression is a place where GitHub puts in a value before a shell sees it.
var expression = regexp.MustCompile(`\$\{\{ *matrix\.shard *\}\}`)

// pipeline runs the shell of one machine after the other in a copy of the repository's docs, as a
// CI server would, with commands that note installations instead of making them;
// lockbench is this test binary (testscript.Main).
type pipeline struct {
	t   *testing.T
	dir string
	ran []string
}

func newPipeline(t *testing.T) *pipeline {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "docs", "examples"), os.DirFS(examples)); err != nil {
		t.Fatal(err)
	}
	bin := filepath.Join(dir, "bin")
	if err := os.Mkdir(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"sudo", "apt-get", "systemctl", "go", "git"} {
		if err := os.WriteFile(filepath.Join(bin, name),
			[]byte("#!/bin/sh\necho \"$0 $*\" >> \"$NOTED\"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return &pipeline{t: t, dir: dir}
}

// run demands that a script succeeds.
func (p *pipeline) run(s shell, env ...string) {
	p.t.Helper()
	cmd := exec.Command("sh", "-euc", s.script)
	cmd.Dir = p.dir
	cmd.Env = append(os.Environ(),
		append(env, "PATH="+filepath.Join(p.dir, "bin")+":"+os.Getenv("PATH"),
			"NOTED="+filepath.Join(p.dir, "noted"),
			"GITHUB_STEP_SUMMARY="+filepath.Join(p.dir, "step-summary.md"), "GITHUB_BASE_REF=main",
			"GOPATH="+p.dir)...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		p.t.Fatalf("%s: %v\n%s\n%s", s.name, err, s.script, out)
	}
	p.ran = append(p.ran, s.script)
}

// demand wants files that a pipeline uploads, and commands that were run.
func (p *pipeline) demand(files []string, commands ...string) {
	p.t.Helper()
	for _, f := range files {
		if info, err := os.Stat(filepath.Join(p.dir, f)); err != nil || info.Size() == 0 {
			p.t.Errorf("%s is missing or empty: %v", f, err)
		}
	}
	noted, _ := os.ReadFile(filepath.Join(p.dir, "noted"))
	all := strings.Join(p.ran, "\n") + string(noted)
	for _, c := range commands {
		if !strings.Contains(all, c) {
			p.t.Errorf("no script runs %q", c)
		}
	}
}

// TestGitHubPipeline runs each step of each job, the sharded one once for each shard.
func TestGitHubPipeline(t *testing.T) {
	t.Parallel()
	testenv.Part(t, "redis")
	jobs := document(t, "github-actions.yml")["jobs"].(map[string]any)
	p := newPipeline(t)
	for _, job := range []string{"sim", "real", "verdict", "compare"} {
		var all []shell
		scripts(jobs[job], []string{"run"}, job, &all)
		shards := []string{""}
		if job == "real" {
			shards = []string{"1", "2"}
		}
		for _, shard := range shards {
			for _, s := range all {
				p.run(shell{s.name, expression.ReplaceAllString(s.script, shard)})
			}
		}
		delete(jobs, job)
	}
	if len(jobs) > 0 {
		t.Errorf("%d jobs were not run", len(jobs))
	}
	p.demand([]string{"gate-sim/summary.md", "gate-sim/junit.xml", "gate/junit.xml", "gate/summary.md",
		"comparison.md", "step-summary.md"},
		"sudo apt-get install -y redis-server", "go install", "lockbench compare")
}

// TestGitLabPipeline runs each job with its before_script, the parallel one once for each machine.
func TestGitLabPipeline(t *testing.T) {
	t.Parallel()
	testenv.Part(t, "redis")
	doc := document(t, "gitlab-ci.yml")
	p := newPipeline(t)
	var before []shell
	scripts(doc["default"], []string{"before_script"}, "before", &before)
	for _, job := range []string{"locks-sim", "locks", "verdict"} {
		var own []shell
		scripts(doc[job], []string{"script"}, job, &own)
		if len(own) == 0 {
			t.Fatalf("%s has no script", job)
		}
		machines := []string{"1"}
		if job == "locks" {
			machines = []string{"1", "2"}
		}
		for _, m := range machines {
			for _, s := range slices.Concat(before, own) {
				p.run(s, "CI_NODE_INDEX="+m, "CI_NODE_TOTAL=2")
			}
		}
	}
	p.demand([]string{"gate-sim/junit.xml", "gate/junit.xml", "gate/summary.md"},
		"apt-get install -y --no-install-recommends redis-server", "go install")
}

// TestKubernetesJob runs the container of the indexed job once for each index, and then the one
// that joins.
func TestKubernetesJob(t *testing.T) {
	t.Parallel()
	testenv.Part(t, "redis")
	p := newPipeline(t)
	for _, name := range []string{"kubernetes-job.yaml", "kubernetes-merge.yaml"} {
		spec := document(t, name)["spec"].(map[string]any)
		indices := []string{""}
		if spec["completionMode"] == "Indexed" {
			indices = []string{"0", "1"}
		}
		for _, i := range indices {
			var all []shell
			scripts(spec, []string{"args"}, name, &all)
			if len(all) != 1 {
				t.Fatalf("%s has %d scripts", name, len(all))
			}
			p.run(all[0], "JOB_COMPLETION_INDEX="+i)
		}
	}
	p.demand([]string{"whole/matrix.json", "whole/matrix.html"})
}

// TestThePageNamesTheExamples: docs/ci.md shows each file, and the gate files are gates.
func TestThePageNamesTheExamples(t *testing.T) {
	page, err := os.ReadFile("../../docs/ci.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"github-actions.yml", "gitlab-ci.yml", "kubernetes-job.yaml",
		"kubernetes-merge.yaml", "locks.yaml", "locks-sim.yaml"} {
		document(t, name)
		if !strings.Contains(string(page), "(examples/"+name+")") {
			t.Errorf("docs/ci.md does not name %s", name)
		}
	}
	for _, name := range []string{"locks.yaml", "locks-sim.yaml"} {
		if _, err := gate.ReadFile(filepath.Join(examples, name)); err != nil {
			t.Error(err)
		}
	}
}
