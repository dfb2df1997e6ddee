package main

import (
	"errors"
	"go/build"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lockbench/lockbench/adapters"
	"github.com/lockbench/lockbench/docker"
	"github.com/lockbench/lockbench/internal/dev/testenv"
	"github.com/lockbench/lockbench/internal/env/cluster/proxy"
	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	if docker.IsJanitor() {
		os.Exit(docker.JanitorMain(os.Stdin))
	}
	if proxy.IsRemote() {
		os.Exit(proxy.RemoteMain(os.Stdout))
	}
	testenv.SideBySide(6)
	testscript.Main(m, map[string]func(){"lockbench": func() {
		adapters.Checkout = os.Getenv("CHECKOUT")
		testenv.PlantRace("command")
		plantPanic()
		if slices.Contains(os.Args, "--json") {
			os.Exit(mainWithSchema())
		}
		main()
	}})
}

// scriptsIn are those of a directory.
func scriptsIn(dir string) testscript.Params {
	return testscript.Params{
		Dir:           dir,
		Condition:     condition,
		UpdateScripts: os.Getenv("UPDATE") != "",
		Setup: func(e *testscript.Env) error {
			self, err := exec.LookPath("lockbench") // by its path, for a script that empties PATH
			if err != nil {
				return err
			}
			root, err := filepath.Abs(filepath.Join("../.."))
			if err != nil {
				return err
			}
			e.Setenv("EXE", self)
			e.Setenv("CHECKOUT", root) // which a binary whose paths are trimmed does not know
			if cache, err := os.UserCacheDir(); err == nil {
				e.Setenv("GO_BUILD", filepath.Join(cache, "go-build"))
			}
			e.Setenv("GO_MODULES", filepath.Join(build.Default.GOPATH, "pkg", "mod"))
			if host := os.Getenv("DOCKER_HOST"); host != "" {
				e.Setenv("DOCKER_HOST", host)
			}
			e.Setenv("TMPDIR", e.WorkDir) // what a run leaves behind is found by its environment
			// servers of some systems run as another user
			return errors.Join(os.Chmod(e.WorkDir, 0o711), os.Chmod(filepath.Dir(e.WorkDir), 0o711))
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"nothing-left": nothingLeft,
			"exits": exits, "finds": finds},
	}
}

// condition knows [race], [adapter:redis-py], [redis] and the other parts of package testenv.
func condition(name string) (bool, error) {
	if library, ok := strings.CutPrefix(name, "adapter:"); ok {
		a, err := adapters.Find(library)
		return err == nil && (a.Missing() == nil && a.IsSetUp() || testenv.Required("adapters")), err
	}
	if name == "race" {
		return testenv.Race, nil
	}
	return testenv.Have(name)
}

// finds runs a command that looks for a violation, and demands that it is found: a machine that is
// busy may let the moment pass, so it is given again.
func finds(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: finds command [args...]")
	}
	code := ""
	for try := 0; try < 5 && code != "0"; try++ {
		code = codeOf(ts, args)
	}
	if code != "0" {
		ts.Fatalf("not found in five runs: exit code %s", code)
	}
}

// exits runs a command and demands its exit code: exits 254 lockbench run. A verdict that is
// unknown because the machine stalled is honest, and says nothing of the command: it is given
// again, up to seven times, and the last four tries run alone.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE command [args...]")
	}
	const beside, most = 4, 8
	code := ""
	for try := 0; try == 0 || try < most && code == "2" && args[0] != code; try++ {
		testenv.Run(try >= beside, func() { code = codeOf(ts, args[1:]) })
	}
	if code != args[0] {
		ts.Fatalf("exit code is %s, not %s", code, args[0])
	}
}

func codeOf(ts *testscript.TestScript, command []string) string {
	err := ts.Exec(command[0], command[1:]...)
	if x, ok := err.(*exec.ExitError); ok {
		return strings.TrimPrefix(x.Error(), "exit status ")
	}
	ts.Check(err)
	return "0"
}

// nothingLeft demands that no process of this script lives and that no temporary folder is left.
func nothingLeft(ts *testscript.TestScript, neg bool, args []string) {
	if left := processes(ts.Getenv("TMPDIR")); len(left) > 0 {
		ts.Fatalf("still running: %v", left)
	}
	entries, err := os.ReadDir(ts.Getenv("TMPDIR"))
	ts.Check(err)
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), "lockbench-") {
			ts.Fatalf("left behind: %s", e.Name())
		}
	}
}

// panicEnv lets a command die of a panic in a goroutine.
const panicEnv = "LOCKBENCH_PLANT_PANIC"

func plantPanic() {
	if os.Getenv(panicEnv) != "" {
		time.AfterFunc(100*time.Millisecond, func() { panic("planted") })
	}
}
