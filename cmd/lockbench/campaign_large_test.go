package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/lockbench/lockbench/internal/dev/testenv"
)

// job is what our manifests use of a Kubernetes Job; what is not in it is refused.
type job struct {
	APIVersion string `yaml:"apiVersion"`
	Kind       string
	Metadata   struct{ Name string }
	Spec       struct {
		CompletionMode       string `yaml:"completionMode"`
		Completions          int
		Parallelism          int
		BackoffLimit         *int `yaml:"backoffLimit"`
		BackoffLimitPerIndex *int `yaml:"backoffLimitPerIndex"`
		MaxFailedIndexes     *int `yaml:"maxFailedIndexes"`
		Template             struct {
			Spec struct {
				RestartPolicy string `yaml:"restartPolicy"`
				Token         *bool  `yaml:"automountServiceAccountToken"`
				Containers    []container
				Volumes       []struct {
					Name  string
					Claim struct {
						Name string `yaml:"claimName"`
					} `yaml:"persistentVolumeClaim"`
				}
			}
		}
	}
}

type container struct {
	Name, Image string
	WorkingDir  string `yaml:"workingDir"`
	Command     []string
	Args        []string
	Env         []struct{ Name, Value string }
	Resources   struct{ Requests map[string]string }
	Mounts      []struct {
		Name string
		Path string `yaml:"mountPath"`
	} `yaml:"volumeMounts"`
}

// manifest reads a Job as strictly as an API server does: no field that it does not know.
func manifest(t *testing.T, name string) (j job) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(examples, name))
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.UnmarshalWithOptions(b, &j, yaml.Strict()); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return j
}

// variables are those of the container, with some in the place of its own.
func (c container) variables(own map[string]string) map[string]string {
	all := map[string]string{}
	for _, e := range c.Env {
		all[e.Name] = e.Value
	}
	for k, v := range own {
		all[k] = v
	}
	return all
}

// try runs the container's script in dir.
func (c container) try(t *testing.T, dir string, env map[string]string) (code int, said string) {
	t.Helper()
	cmd := exec.Command(c.Command[0], append(slices.Clone(c.Command[1:]), c.Args...)...)
	cmd.Dir, cmd.Env = dir, os.Environ()
	for k, v := range c.variables(env) {
		cmd.Env = append(cmd.Env, k+"="+v)
	}
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(out)
}

// TestManifestsAreJobs: what a scheduler would refuse, and what would never end or start.
func TestManifestsAreJobs(t *testing.T) {
	for _, name := range []string{"kubernetes-job.yaml", "kubernetes-merge.yaml", "campaign-job.yaml",
		"campaign-merge.yaml"} {
		j := manifest(t, name)
		s, pod := j.Spec, j.Spec.Template.Spec
		if j.APIVersion != "batch/v1" || j.Kind != "Job" || j.Metadata.Name == "" ||
			pod.RestartPolicy != "Never" || len(pod.Containers) != 1 || pod.Token == nil || *pod.Token {
			t.Errorf("%s is no job of one container without a token: %+v", name, j)
			continue
		}
		indexed := s.CompletionMode == "Indexed"
		if indexed != (s.Completions > 0) || s.Parallelism > s.Completions ||
			!indexed && s.BackoffLimitPerIndex != nil || indexed && s.BackoffLimit != nil {
			t.Errorf("%s: its mode, completions and limits contradict each other: %+v", name, s)
		}
		for _, m := range pod.Containers[0].Mounts {
			if len(pod.Volumes) != 1 || m.Name != pod.Volumes[0].Name || !filepath.IsAbs(m.Path) {
				t.Errorf("%s mounts %+v, and has %+v", name, m, pod.Volumes)
			}
		}
	}
}

// TestTheCampaignMergesWhatItRan checks that the manifest that merges names the servers, seeds and
// directory of the one that runs.
func TestTheCampaignMergesWhatItRan(t *testing.T) {
	v := manifest(t, "campaign-job.yaml").Spec.Template.Spec.Containers[0].variables(nil)
	merge := manifest(t, "campaign-merge.yaml").Spec.Template.Spec.Containers[0].variables(nil)
	for _, name := range []string{"SERVERS", "SEEDS", "RESULTS"} {
		if merge[name] != v[name] {
			t.Errorf("%s is %q for the shards and %q for what joins them", name, v[name], merge[name])
		}
	}
}

// TestTheIndicesOfACampaign: each server, seed and shard belongs to one index.
func TestTheIndicesOfACampaign(t *testing.T) {
	testenv.SkipRace(t)
	j := manifest(t, "campaign-job.yaml")
	dir := t.TempDir()
	stand := "#!/bin/sh\necho \"$*\" >> " + dir + "/asked\n"
	if err := os.WriteFile(filepath.Join(dir, "lockbench"), []byte(stand), 0o755); err != nil {
		t.Fatal(err)
	}
	for i := range j.Spec.Completions {
		env := map[string]string{"JOB_COMPLETION_INDEX": fmt.Sprint(i), "RESULTS": dir,
			"PATH": dir + ":" + os.Getenv("PATH")}
		if code, said := j.Spec.Template.Spec.Containers[0].try(t, dir, env); code != 0 {
			t.Fatalf("index %d: exit code %d\n%s", i, code, said)
		}
	}
	b, err := os.ReadFile(filepath.Join(dir, "asked"))
	if err != nil {
		t.Fatal(err)
	}
	asked := strings.Fields(strings.ReplaceAll(strings.TrimSpace(string(b)), " ", "_"))
	slices.Sort(asked)
	if n := len(slices.Compact(asked)); n != j.Spec.Completions {
		t.Errorf("%d different commands of %d pods", n, j.Spec.Completions)
	}
}

// TestACampaign runs a small one on a real server, with a pod that was evicted, and joins it.
func TestACampaign(t *testing.T) {
	testenv.SkipRace(t)
	t.Parallel()
	testenv.Part(t, "redis")
	server, err := exec.LookPath("redis-server")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "servers", "one"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(server, filepath.Join(dir, "servers", "one", "redis-server")); err != nil {
		t.Fatal(err)
	}
	env := map[string]string{"CELLS": "--impl token-lua,setnx --nemesis none,crash", "SERVERS": "one",
		"SERVER_DIR": filepath.Join(dir, "servers"), "SEEDS": "1 2", "SHARDS": "2", "RESULTS": dir}
	pod := manifest(t, "campaign-job.yaml").Spec.Template.Spec.Containers[0]
	run := func(index int) {
		t.Helper()
		env["JOB_COMPLETION_INDEX"] = fmt.Sprint(index)
		if code, said := pod.try(t, dir, env); code != 0 {
			t.Fatalf("index %d: exit code %d\n%s", index, code, said)
		}
	}
	for i := range 4 {
		run(i)
	}
	merge := manifest(t, "campaign-merge.yaml").Spec.Template.Spec.Containers[0]
	run(3) // once more: it goes on, and has nothing to do
	if code, said := merge.try(t, dir, env); code != 0 {
		t.Fatalf("exit code %d\n%s", code, said)
	}
	for _, seed := range []string{"1", "2"} {
		if _, err := os.Stat(filepath.Join(dir, "whole", "one-seed-"+seed, "matrix.html")); err != nil {
			t.Error(err)
		}
	}
	if err := os.RemoveAll(filepath.Join(dir, "one-seed-1", "shard-2")); err != nil {
		t.Fatal(err)
	}
	code, said := merge.try(t, dir, env)
	if code != 254 || !strings.Contains(said, "shard 2/2 is missing") {
		t.Errorf("without a shard: exit code %d\n%s", code, said)
	}
	if _, err := os.Stat(filepath.Join(dir, "whole", "one-seed-2", "matrix.html")); err != nil {
		t.Errorf("what is whole is not joined: %v", err)
	}
}
