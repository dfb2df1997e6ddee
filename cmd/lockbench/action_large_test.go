package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/lockbench/lockbench/internal/dev/testenv"
)

// release serves a release whose lockbench is this test binary, as .ci/action would fetch it.
func release(t *testing.T, sum func(archive []byte) string) string {
	t.Helper()
	self, err := exec.LookPath("lockbench") // testscript made it of this test binary
	if err != nil {
		t.Fatal(err)
	}
	script := fmt.Sprintf("#!/bin/sh\nexec %s \"$@\"\n", self)
	var archive bytes.Buffer
	z := gzip.NewWriter(&archive)
	w := tar.NewWriter(z)
	err = w.WriteHeader(&tar.Header{Name: "lockbench", Mode: 0o755, Size: int64(len(script))})
	if err == nil {
		_, err = w.Write([]byte(script))
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if e := z.Close(); err != nil || e != nil {
		t.Fatal(err, e)
	}
	name := fmt.Sprintf("lockbench_0.1.0_%s_%s.tar.gz", runtime.GOOS, runtime.GOARCH)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/v0.1.0/" + name:
			w.Write(archive.Bytes())
		case "/v0.1.0/checksums.txt":
			fmt.Fprintf(w, "%s  %s\n", sum(archive.Bytes()), name)
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(s.Close)
	return s.URL
}

func rightSum(archive []byte) string { return fmt.Sprintf("%x", sha256.Sum256(archive)) }

// stage is a job of GitHub's that stands in for one: its files, and a folder with a gate.
type stage struct{ dir string }

func newStage(t *testing.T, gate string) stage {
	t.Helper()
	s := stage{t.TempDir()}
	if gate == "" {
		return s
	}
	if err := os.WriteFile(filepath.Join(s.dir, "lockbench.yaml"), []byte(gate), 0o644); err != nil {
		t.Fatal(err)
	}
	return s
}

// act runs the action's shell.
func (s stage) act(t *testing.T, env ...string) (code int, printed string) {
	t.Helper()
	script, err := filepath.Abs("../../.ci/action")
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command("bash", script)
	c.Dir = s.dir
	c.Env = append(os.Environ(), "RUNNER_TEMP="+s.dir,
		"GITHUB_OUTPUT="+filepath.Join(s.dir, "output"),
		"GITHUB_STEP_SUMMARY="+filepath.Join(s.dir, "summary"),
		"GITHUB_PATH="+filepath.Join(s.dir, "path"),
		"VERSION=v0.1.0", "ENVIRONMENT=sim")
	c.Env = append(c.Env, env...) // of two with one name the last counts
	out, err := c.CombinedOutput()
	if c.ProcessState == nil {
		t.Fatal(err)
	}
	return c.ProcessState.ExitCode(), string(out)
}

func (s stage) read(name string) string {
	text, _ := os.ReadFile(filepath.Join(s.dir, name))
	return string(text)
}

const actionGate = `environment: sim
seeds: 1
entries:
  - {name: a crash, impl: token-lua, nemesis: crash, ttl: 500ms, expect: safe}
  - {name: "a pause: 50%, or so", impl: token-lua, nemesis: pause, ttl: 500ms, expect: %s}
`

// TestTheActionRunsTheGate as GitHub would: outputs, summary, annotations and the exit code.
func TestTheActionRunsTheGate(t *testing.T) {
	testenv.SkipRace(t)
	t.Parallel()
	testenv.Part(t, "curl")
	for _, c := range []struct {
		expect, result, annotation string
		code                       int
	}{
		{"violates S", "passed", "", 0},
		{"safe", "failed",
			"::error file=lockbench.yaml,line=5,title=a pause%3A 50%25%2C or so::S violated in 1 of 1 run",
			1},
	} {
		s := newStage(t, strings.Replace(actionGate, "%s", c.expect, 1))
		code, printed := s.act(t, "LOCKBENCH_RELEASES="+release(t, rightSum), "GITHUB_TOKEN=secret")
		if code != c.code || !strings.Contains(printed, c.annotation) {
			t.Errorf("exit %d, want %d and %q:\n%s", code, c.code, c.annotation, printed)
		}
		output := s.read("output")
		for _, want := range []string{"result=" + c.result + "\n", fmt.Sprintf("code=%d\n", c.code),
			"directory=" + s.dir} {
			if !strings.Contains(output, want) {
				t.Errorf("no output %q:\n%s", want, output)
			}
		}
		if !strings.Contains(s.read("summary"), "lock gate: ") {
			t.Errorf("no summary: %s", s.read("summary"))
		}
	}
}

// TestAGateNamedLikeAFlagIsRun: its name does not make the gate print its help, and end with 0.
func TestAGateNamedLikeAFlagIsRun(t *testing.T) {
	testenv.SkipRace(t)
	t.Parallel()
	testenv.Part(t, "curl")
	s := newStage(t, strings.Replace(actionGate, "%s", "safe", 1))
	err := os.Rename(filepath.Join(s.dir, "lockbench.yaml"), filepath.Join(s.dir, "--help"))
	if err != nil {
		t.Fatal(err)
	}
	code, printed := s.act(t, "LOCKBENCH_RELEASES="+release(t, rightSum), "GATE=--help")
	if code != 1 || !strings.Contains(s.read("output"), "result=failed\n") {
		t.Errorf("exit %d:\n%s%s", code, printed, s.read("output"))
	}
}

// TestTheActionIsNeverGreenByAccident: what cannot be run fails with one line.
func TestTheActionIsNeverGreenByAccident(t *testing.T) {
	testenv.SkipRace(t)
	t.Parallel()
	testenv.Part(t, "curl")
	good := strings.Replace(actionGate, "%s", "safe", 1)
	wrong := func([]byte) string { return strings.Repeat("1", 64) }
	for _, c := range []struct{ name, gate, releases, env, line string }{
		{"another checksum", good, release(t, wrong), "A=", "its checksum is another"},
		{"no such release", good, release(t, rightSum), "VERSION=v9.9.9", "cannot be fetched"},
		{"no gate", "", release(t, rightSum), "A=", "there is no lockbench.yaml"},
		{"another environment", good, release(t, rightSum), "ENVIRONMENT=mars", "environment is mars"},
		{"a gate of tomorrow", "format: 9\n" + good, release(t, rightSum), "A=", "reads format 2"},
	} {
		s := newStage(t, c.gate)
		code, printed := s.act(t, "LOCKBENCH_RELEASES="+c.releases, c.env)
		if code != 254 || !strings.Contains(printed, c.line) || !strings.Contains(printed, "::error") {
			t.Errorf("%s: exit %d:\n%s", c.name, code, printed)
		}
		if !strings.Contains(s.read("output"), "result=broke\n") {
			t.Errorf("%s: no result: %s", c.name, s.read("output"))
		}
	}
}
