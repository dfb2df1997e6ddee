package docker

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"time"
)

// janitorEnv marks a process as a janitor, and holds the run that it cleans up after.
const janitorEnv = "LOCKBENCH_JANITOR"

// janitor is a process that outlives this one by the time it takes to remove the containers of its
// run: the same as testcontainers' reaper, but it needs no image. A container cannot be told to die
// with a process.
type janitor struct {
	cmd  *exec.Cmd
	life io.WriteCloser // its input ends when this process does
}

// errJanitor stops a program that does not know that it is a janitor: it would start another one,
// which starts another one.
var errJanitor = errors.New("a janitor starts no containers: the program, or TestMain of the " +
	"test that it is, must ask IsJanitor first and call JanitorMain")

// startJanitor starts the janitor of a run.
func startJanitor(o owner) (*janitor, error) {
	if IsJanitor() {
		return nil, errJanitor
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	j := &janitor{cmd: exec.Command(self)}
	j.cmd.Env = append(os.Environ(), janitorEnv+"="+o.run)
	ownGroup(j.cmd) // Ctrl-C is for the run
	if j.life, err = j.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	return j, j.cmd.Start()
}

// stop ends the janitor: there is nothing to clean up.
func (j *janitor) stop() {
	_ = j.cmd.Process.Kill()
	_ = j.cmd.Wait()
	j.life.Close()
}

// IsJanitor reports whether this process was started to clean up. A main function, and TestMain of
// a package whose tests open launchers, then calls JanitorMain and nothing else.
func IsJanitor() bool { return os.Getenv(janitorEnv) != "" }

// The janitor's times: a container may have been asked for just before the process was killed, and
// appear later.
const (
	janitorRounds = 4
	janitorPause  = 500 * time.Millisecond
)

// JanitorMain waits for the end of its input and removes the containers of the run. It
// returns the exit code.
func JanitorMain(in io.Reader) int {
	_, _ = io.Copy(io.Discard, in)
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	d, err := connect(ctx)
	if err != nil {
		return 1 // the next start sweeps
	}
	defer d.Close()
	run := os.Getenv(janitorEnv)
	for range janitorRounds {
		_ = d.removeAll(ctx, run)
		time.Sleep(janitorPause)
	}
	return 0
}
