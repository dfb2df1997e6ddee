package server

import (
	"io"
	"os"
	"os/exec"

	"github.com/lockbench/lockbench/internal/base/proc"
	"github.com/lockbench/lockbench/internal/env/cluster/worker"
)

// child is a worker that is a process of this machine.
type child struct {
	io.WriteCloser
	out io.Reader
	cmd *exec.Cmd
}

// Spawn implements Spawner.
func (Processes) Spawn(_ string, log *os.File) (Worker, error) { return startChild(log) }

func startChild(log *os.File) (*child, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	c := &child{cmd: exec.Command(self)}
	c.cmd.Env = append(proc.Environ(), worker.Env()...)
	c.cmd.Stderr = log
	if c.WriteCloser, err = c.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if c.out, err = c.cmd.StdoutPipe(); err != nil {
		return nil, err
	}
	return c, proc.Start(c.cmd)
}

// Output, Wait, Kill, Pause, Stopped and Resume implement Worker.
func (c *child) Output() io.Reader { return c.out }
func (c *child) Wait() error       { return c.cmd.Wait() }
func (c *child) Kill()             { _ = proc.KillGroup(c.cmd.Process.Pid) }
func (c *child) Pause() error      { return proc.StopGroup(c.cmd.Process.Pid) }
func (c *child) Stopped() bool     { return proc.Stopped(c.cmd.Process.Pid) }
func (c *child) Resume() error     { return proc.ResumeGroup(c.cmd.Process.Pid) }

// Idle implements Idler.
func (c *child) Idle() bool { return Idle(c.cmd.Process.Pid) }

// Idle reports whether every thread of a process sleeps. A thread that is sent something wakes up
// before the sender goes on, and Go does not let all threads sleep while a goroutine can run; so
// this is what synctest.Wait is in a bubble, whatever the goroutines wait for. One thread may have
// woken another while it was looked at a third, hence the second look.
func Idle(pid int) bool {
	for range 2 {
		if !proc.Idle(pid) {
			return false
		}
	}
	return true
}

// Spawner starts the workers of an environment: as processes, or in containers.
type Spawner interface {
	// Spawn starts a worker: this program with worker.Env in its environment. Its standard error goes
	// to log.
	Spawn(name string, log *os.File) (Worker, error)
}

// Worker is a worker that was spawned.
type Worker interface {
	io.WriteCloser     // its standard input; Close ends its client
	Output() io.Reader // its standard output, to the end
	Wait() error       // after the end of the output; how it ended
	Kill()             // at once, stopped or not
	Pause() error
	Stopped() bool // it is paused
	Resume() error
}

// Idler is a Worker that can tell whether it has nothing to do but wait: for its input, the network
// or the time.
type Idler interface{ Idle() bool }

// Reusable is a Worker that can play a client of another run. It reports Reset after Close, and is
// free from then on.
type Reusable interface {
	// Recycle gives the worker back. It belongs to others then: no method of this Worker has an effect
	// on it any more.
	Recycle()
}
