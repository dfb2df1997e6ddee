package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/lockbench/lockbench/internal/dev/testenv"
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

// pipeline runs the shell of one machine after the other in a copy of a repository, as a CI server
// would, with commands that note installations instead of making them; lockbench is this test
// binary (testscript.Main).
type pipeline struct {
	t   *testing.T
	dir string
	ran []string
}

// ownGate is a small gate of the lock of the example repository.
const ownGate = `environment: process
seeds: 1
defaults: {adapter: ./go, ttl: 2s}
entries:
  - {nemesis: none, expect: safe}
  - {nemesis: crash, expect: safe}
`

// ownPipeline is for a repository with a lock of its own.
func ownPipeline(t *testing.T, gate string, defects ...defect) *pipeline {
	t.Helper()
	p := newPipeline(t)
	if err := os.WriteFile(filepath.Join(p.dir, "lockbench.yaml"), []byte(gate), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, d := range defects {
		d.apply(t, p.dir)
	}
	return p
}

// newPipeline has a copy of the example repository and the commands that stand in for others.
func newPipeline(t *testing.T) *pipeline {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(ownLock)); err != nil {
		t.Fatal(err)
	}
	bin := filepath.Join(dir, "bin")
	if err := os.Mkdir(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	stand := "#!/bin/sh\necho \"$0 $*\" >> \"$NOTED\"\n"
	for _, name := range []string{"sudo", "apt-get", "systemctl", "go"} {
		text := stand
		if real, err := exec.LookPath(name); name == "go" && err == nil { // it builds adapters
			text = strings.Replace(stand, "\n", "\n[ \"$1\" = install ] || exec "+real+" \"$@\"\n", 1)
		}
		if err := os.WriteFile(filepath.Join(bin, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return &pipeline{t: t, dir: dir}
}

// try gives the exit code of a script, and what it printed.
func (p *pipeline) try(s shell, env ...string) (code int, said string) {
	p.t.Helper()
	cmd := exec.Command("sh", "-euc", s.script)
	cmd.Dir = p.dir
	cmd.Env = append(os.Environ(),
		append(env, "PATH="+filepath.Join(p.dir, "bin")+":"+os.Getenv("PATH"),
			"NOTED="+filepath.Join(p.dir, "noted"), "RESULTS="+p.dir, "GATE=lockbench.yaml",
			"GITHUB_STEP_SUMMARY="+filepath.Join(p.dir, "step-summary.md"), "GITHUB_BASE_REF=main")...)
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		p.t.Fatal(err)
	}
	p.ran = append(p.ran, s.script)
	return cmd.ProcessState.ExitCode(), string(out)
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

// gitHub runs the sharded job once for each of so many machines, and then the one that joins.
func (p *pipeline) gitHub(machines int) (codes []int, said string) {
	var code int
	for m := range machines {
		code, _ = p.gitHubJob("locks", fmt.Sprint(m+1))
		codes = append(codes, code)
	}
	code, said = p.gitHubJob("verdict", "")
	return append(codes, code), said
}

// gitHubJob runs the steps of a job that are shell, after a failure only those that always run, and
// gives the exit code of the first that failed, else 0, with what it printed, or the last.
func (p *pipeline) gitHubJob(name, shard string) (code int, said string) {
	jobs := document(p.t, "github-actions.yml")["jobs"].(map[string]any)
	for _, s := range jobs[name].(map[string]any)["steps"].([]any) {
		step := s.(map[string]any)
		script, ok := step["run"].(string)
		if !ok || code != 0 && step["if"] != "always()" {
			continue
		}
		c, out := p.try(shell{name, expression.ReplaceAllString(script, shard)})
		if code == 0 && step["if"] != "always()" {
			code, said = c, out
		}
	}
	return code, said
}

// TestGitHubComparesBothCommits, each with its own lock: that of the base, and one that is changed.
func TestGitHubComparesBothCommits(t *testing.T) {
	testenv.SkipRace(t)
	t.Parallel()
	testenv.Part(t, "redis")
	p := ownPipeline(t, ownGate)
	in(t, p.dir, 0, "git", "init", "--quiet")
	commitAll(t, p.dir)
	in(t, p.dir, 0, "git", "update-ref", "refs/remotes/origin/main", "HEAD")
	double.apply(t, p.dir)
	commitAll(t, p.dir)
	code, said := p.gitHubJob("compare", "")
	for tries := 5; tries > 0 && code == 2; tries-- { // the machine stalled
		code, said = p.gitHubJob("compare", "")
	}
	if code != 1 {
		t.Errorf("a lock that grants twice: exit code %d\n%s", code, said)
	}
	p.demand([]string{"comparison.md", "step-summary.md"}, "sudo apt-get install -y redis-server",
		"go install")
	page, err := os.ReadFile(filepath.Join(p.dir, "comparison.md"))
	if err != nil || !strings.Contains(string(page), "S is violated now") {
		t.Errorf("%v: the comparison does not name S:\n%s", err, page)
	}
}

// gitLab runs each job with its before_script, the parallel one once for each of so many machines,
// and gives the exit codes of all jobs, and what the last one printed.
func (p *pipeline) gitLab(machines int) (codes []int, said string) {
	doc := document(p.t, "gitlab-ci.yml")
	var before []shell
	scripts(doc["default"], []string{"before_script"}, "before", &before)
	job := func(name string, env ...string) {
		var own []shell
		scripts(doc[name], []string{"script"}, name, &own)
		code := 0
		for _, s := range slices.Concat(before, own) {
			if code, said = p.try(s, env...); code != 0 {
				break
			}
		}
		codes = append(codes, code)
	}
	for m := range machines {
		job("locks", fmt.Sprint("CI_NODE_INDEX=", m+1), "CI_NODE_TOTAL=2", "GOPATH="+p.gopath())
	}
	job("verdict", "GOPATH="+p.gopath())
	return codes, said
}

// gopath is one that has the modules already.
func (p *pipeline) gopath() string {
	out, err := exec.Command("go", "env", "GOPATH").Output()
	if err != nil {
		p.t.Skip("there is no go command")
	}
	return strings.TrimSpace(string(out))
}

// kubernetes runs the container of the indexed job once for each of so many indices, and then the
// one that joins.
func (p *pipeline) kubernetes(machines int) (codes []int, said string) {
	job := func(name string, env ...string) {
		var all []shell
		scripts(document(p.t, name)["spec"], []string{"args"}, name, &all)
		if len(all) != 1 {
			p.t.Fatalf("%s has %d scripts", name, len(all))
		}
		var code int
		code, said = p.try(all[0], env...)
		codes = append(codes, code)
	}
	for m := range machines {
		job("kubernetes-job.yaml", fmt.Sprint("JOB_COMPLETION_INDEX=", m))
	}
	job("kubernetes-merge.yaml")
	return codes, said
}

// pipelines are those that gate the lock of the example repository, with the exit codes of a lock
// that is as expected, and of one that is not, and where the joined gate is.
var pipelines = []struct {
	name, gate string
	run        func(p *pipeline, machines int) (codes []int, said string)
	broken     []int
}{
	// each machine fails by itself on GitHub and GitLab; on Kubernetes only the job that joins does
	{"GitHub", "gate", (*pipeline).gitHub, []int{1, 1, 1}},
	{"GitLab", "gate", (*pipeline).gitLab, []int{1, 1, 1}},
	{"Kubernetes", "whole", (*pipeline).kubernetes, []int{0, 0, 1}},
}

// double makes the lock of the example repository grant to all.
var double = defect{"go/lock.go", "ok, err := r.SetNX(ctx, key, l.token, lease).Result()",
	"_, err := r.Set(ctx, key, l.token, lease).Result(); ok := err == nil"}

// TestPipelinesGateTheOwnLock: a lock that is as expected passes on two machines, and one that is
// not makes the pipeline fail.
func TestPipelinesGateTheOwnLock(t *testing.T) {
	testenv.SkipRace(t)
	t.Parallel()
	testenv.Part(t, "redis")
	for _, c := range pipelines {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := ownPipeline(t, ownGate)
			codes, said := c.run(p, 2)
			for tries := 5; tries > 0 && slices.Contains(codes, 2); tries-- { // the machine stalled
				p = ownPipeline(t, ownGate)
				codes, said = c.run(p, 2)
			}
			if !slices.Equal(codes, []int{0, 0, 0}) {
				t.Fatalf("exit codes %v\n%s", codes, said)
			}
			p.demand([]string{c.gate + "/junit.xml", c.gate + "/summary.md", c.gate + "/gate.html"})
			p = ownPipeline(t, ownGate, double)
			if codes, said = c.run(p, 2); !slices.Equal(codes, c.broken) ||
				!strings.Contains(said, "2 not as expected") {
				t.Errorf("a broken lock: exit codes %v, want %v\n%s", codes, c.broken, said)
			}
		})
	}
}

// TestPipelinesAreNeverGreenByAccident: what cannot be run ends with 254, and the verdict, too.
func TestPipelinesAreNeverGreenByAccident(t *testing.T) {
	testenv.SkipRace(t)
	t.Parallel()
	testenv.Part(t, "redis")
	const easy = "environment: sim\nseeds: 2\nentries:\n  - {impl: token-lua, expect: safe}\n"
	for _, c := range []struct {
		name, gate string
		machines   int
		defects    []defect
		line       string
	}{
		{"a gate of tomorrow", "format: 9\n" + ownGate, 2, nil, "has neither matrix.json nor gate.json"},
		{"an adapter that does not build", ownGate, 2,
			[]defect{{"go/lock.go", "package main", "package main !"}}, "has neither"},
		{"a machine that is missing", easy, 1, nil, "shard 2/2 is missing"},
		{"no machine", easy, 0, nil, "has neither"},
	} {
		for _, x := range pipelines {
			p := ownPipeline(t, c.gate, c.defects...)
			codes, said := x.run(p, c.machines)
			if last := codes[len(codes)-1]; last != 254 || !strings.Contains(said, c.line) {
				t.Errorf("%s on %s: exit codes %v, no %q in:\n%s", c.name, x.name, codes, c.line, said)
			}
			if c.gate != easy && slices.Contains(codes, 0) {
				t.Errorf("%s on %s: exit codes %v", c.name, x.name, codes)
			}
		}
	}
}

// TestThePageNamesTheExamples: docs/ci.md shows each file, and first the gate of a library in the
// user's version; testdata/script/version.txtar runs such a one.
func TestThePageNamesTheExamples(t *testing.T) {
	page, err := os.ReadFile("../../docs/ci.md")
	if err != nil {
		t.Fatal(err)
	}
	_, first, _ := strings.Cut(string(page), "```\n")
	if !strings.HasPrefix(first, "lockbench gate --init --adapter redis-py@5.0.4 --nemesis ") {
		t.Errorf("the first example of docs/ci.md is %.60q", first)
	}
	for _, name := range []string{"github-actions.yml", "gitlab-ci.yml", "kubernetes-job.yaml",
		"kubernetes-merge.yaml"} {
		document(t, name)
		if !strings.Contains(string(page), "(examples/"+name+")") {
			t.Errorf("docs/ci.md does not name %s", name)
		}
	}
	jobs := sortedNames(document(t, "github-actions.yml")["jobs"].(map[string]any))
	if want := []string{"compare", "locks", "verdict"}; !slices.Equal(jobs, want) {
		t.Errorf("the jobs on GitHub are %v; tests run %v", jobs, want)
	}
}
