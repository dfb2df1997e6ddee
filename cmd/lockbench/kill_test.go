package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/lockbench/lockbench/internal/campaign/gate"
	"github.com/lockbench/lockbench/internal/dev/testenv"
)

// processes lists the processes whose environment names this temporary folder: a run and all that
// it started.
func processes(tmp string) (left []string) {
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	for _, d := range dirs {
		env, err := os.ReadFile(filepath.Join(d, "environ"))
		if err != nil || !bytes.Contains(env, []byte("TMPDIR="+tmp+"\x00")) ||
			filepath.Base(d) == strconv.Itoa(os.Getpid()) {
			continue
		}
		cmd, _ := os.ReadFile(filepath.Join(d, "cmdline"))
		stat, _ := os.ReadFile(filepath.Join(d, "stat"))
		if strings.Contains(string(stat), ") Z ") {
			continue // dead; its parent has not waited for it yet
		}
		left = append(left, filepath.Base(d)+" "+strings.ReplaceAll(string(cmd), "\x00", " "))
	}
	return left
}

// TestNothingOutlivesAKill ends lockbench at random moments of its life, by each signal in turn,
// and looks for processes and files that are left.
func TestNothingOutlivesAKill(t *testing.T) {
	t.Parallel()
	testenv.Part(t, "redis")
	rounds := 6
	if testenv.Soak() {
		rounds = 200
	}
	signals := []syscall.Signal{syscall.SIGKILL, syscall.SIGTERM, syscall.SIGINT}
	for i := range rounds {
		sig := signals[i%len(signals)]
		after := time.Duration(rand.IntN(400)) * time.Millisecond
		t.Run(fmt.Sprintf("%s after %v", sig, after), func(t *testing.T) { killed(t, sig, after) })
	}
}

func killed(t *testing.T, sig syscall.Signal, after time.Duration) {
	tmp := t.TempDir()
	c := command(t, tmp, "run", "--impl", "getset", "--nemesis", "failover", "--store",
		filepath.Join(tmp, "store"))
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(after)
	_ = c.Process.Signal(sig)
	_ = c.Wait()
	if sig != syscall.SIGKILL && c.ProcessState.ExitCode() == 255 {
		t.Errorf("%s broke it:\n%s", sig, out.String())
	}
	allDie(t, tmp, sig)
}

// allDie waits until no process is left after a signal: the kernel sends the parent-death signal at
// once, but a process needs a moment to die of it.
func allDie(t *testing.T, tmp string, sig syscall.Signal) {
	t.Helper()
	limit := time.Now().Add(10 * time.Second)
	for len(processes(tmp)) > 0 {
		if time.Now().After(limit) {
			t.Fatalf("after %s: still running: %v", sig, processes(tmp))
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// TestAWorkerThatDies breaks a run from outside: it must say so in one line, keep the record, and
// never call the run valid.
func TestAWorkerThatDies(t *testing.T) {
	t.Parallel()
	testenv.Part(t, "redis")
	tmp := t.TempDir()
	store := filepath.Join(tmp, "store")
	c := command(t, tmp, "run", "--impl", "token-lua", "--hold", "3s", "--ttl", "9s", "--store", store)
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	victim := someWorker(t, tmp)
	p, err := os.FindProcess(victim)
	if err == nil {
		err = p.Kill()
	}
	if err != nil {
		t.Fatal(err)
	}
	_ = c.Wait()
	if code := c.ProcessState.ExitCode(); code != 255 {
		t.Errorf("exit code is %d", code)
	}
	if says := "lockbench: the run broke: client "; strings.Count(out.String(), says) != 1 {
		t.Errorf("it must say once %q:\n%s", says, out.String())
	}
	histories, _ := filepath.Glob(filepath.Join(store, "token-lua-none", "2*", "history.jsonl"))
	if len(histories) != 1 {
		t.Errorf("histories: %v", histories)
	}
	if left := processes(tmp); len(left) > 0 {
		t.Errorf("still running: %v", left)
	}
}

// someWorker waits for a worker process that has been at work for a moment.
func someWorker(t *testing.T, tmp string) int {
	t.Helper()
	for limit := time.Now().Add(10 * time.Second); time.Now().Before(limit); time.Sleep(
		10 * time.Millisecond) {
		for _, p := range processes(tmp) {
			pid, _ := strconv.Atoi(strings.Fields(p)[0])
			env, _ := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "environ"))
			history, _ := filepath.Glob(filepath.Join(tmp, "store", "*", "2*", "history.jsonl"))
			if bytes.Contains(env, []byte("LOCKBENCH_PLAY=worker")) && len(history) > 0 {
				return pid
			}
		}
	}
	t.Fatal("no worker was seen")
	return 0
}

// command is lockbench, played by the test binary, with a temporary folder of its own.
func command(t *testing.T, tmp string, args ...string) *exec.Cmd {
	t.Helper()
	link := filepath.Join(tmp, "lockbench")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(self, link); err != nil {
		t.Fatal(err)
	}
	c := exec.Command(link, args...)
	c.Env = append(os.Environ(), "TMPDIR="+tmp)
	return c
}

// TestAnInterruptionEndsEveryVerb: what reads or judges for long obeys Ctrl-C.
func TestAnInterruptionEndsEveryVerb(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	must(t, 0, "run", "--impl", "token-lua", "--env", "sim", "--store", dir)
	run := filepath.Join(dir, "latest")
	ctx, stop := context.WithCancel(t.Context())
	stop()
	for _, args := range [][]string{{"check", run}, {"check", filepath.Dir(run)}, {"export", run},
		{"report", run}} {
		var said strings.Builder
		if code := Main(ctx, args, io.Discard, &said); code != exitInterrupted ||
			!strings.Contains(said.String(), "interrupted; ") {
			t.Errorf("%v: exit code %d: %s", args, code, said.String())
		}
	}
}

// TestAnInterruptedGateGoesOn interrupts a gate after one of many runs. The command that it prints
// makes the others of the same part, and refuses the runs of another file.
func TestAnInterruptedGateGoesOn(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file, store := filepath.Join(dir, "g.yaml"), filepath.Join(dir, "store")
	write := func(seeds int) {
		text := fmt.Sprintf("environment: sim\nseeds: %d\nentries:\n"+
			"  - {name: first, impl: token-lua, nemesis: crash, expect: safe}\n"+
			"  - {name: other, impl: token-lua, nemesis: none, expect: safe}\n", seeds)
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(100)
	ctx, stop := context.WithCancel(t.Context())
	go func() {
		defer stop()
		for ctx.Err() == nil && len(recordOf(store)) == 0 {
			time.Sleep(time.Millisecond)
		}
	}()
	var said strings.Builder
	code := Main(ctx, []string{"gate", file, "--jobs", "1", "--store", store, "--only", "first",
		"--shard", "1/1"}, io.Discard, &said)
	_, line, printed := strings.Cut(said.String(), "interrupted; `lockbench ")
	if line, _, _ = strings.Cut(line, "`"); code != exitInterrupted || !printed ||
		!strings.HasSuffix(line, " --only first --shard 1/1 --store "+store) {
		t.Fatalf("exit code %d: %s", code, said.String())
	}
	resume := append(strings.Fields(line), "--json")
	write(99)
	if code := Main(t.Context(), resume, io.Discard, &said); code != exitUsage {
		t.Errorf("exit code %d for another file", code)
	}
	write(100)
	known := bytes.Count(recordOf(store), []byte("\n"))
	var out strings.Builder
	said.Reset()
	if code := Main(t.Context(), resume, &out, &said); code != 0 ||
		!strings.Contains(said.String(), fmt.Sprintf(" (%d run", known)) {
		t.Errorf("exit code %d: %s", code, said.String())
	}
	var r gate.Result
	err := json.Unmarshal([]byte(out.String()), &r)
	if err != nil || len(r.Entries) != 1 || len(r.Entries[0].Runs) != 100 || recordOf(store) != nil {
		t.Errorf("the result: %v, %.400s", err, out.String())
	}
}

// recordOf returns the record of the interrupted gate in a store, or nil.
func recordOf(store string) []byte {
	names, _ := filepath.Glob(filepath.Join(store, "gate-g", "2*", "runs-*.jsonl"))
	if len(names) == 0 {
		return nil
	}
	b, _ := os.ReadFile(names[0])
	return b
}
