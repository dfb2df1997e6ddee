package cluster

import (
	"io"
	"os"
	"os/exec"
)

// child is a worker that is a process of this machine.
type child struct {
	io.WriteCloser
	out io.Reader
	cmd *exec.Cmd
}

// Spawn is Spawner.
func (processes) Spawn(_ string, log *os.File) (Worker, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	c := &child{cmd: exec.Command(self)}
	c.cmd.Env = append(os.Environ(), WorkerEnv()...)
	c.cmd.Stderr = log
	if c.WriteCloser, err = c.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if c.out, err = c.cmd.StdoutPipe(); err != nil {
		return nil, err
	}
	return c, start(c.cmd)
}

// Output is Worker.
func (c *child) Output() io.Reader { return c.out }

// Wait is Worker.
func (c *child) Wait() error { return c.cmd.Wait() }

// Kill is Worker.
func (c *child) Kill() { _ = killGroup(c.cmd.Process.Pid) }

// Pause is Worker.
func (c *child) Pause() error { return stopGroup(c.cmd.Process.Pid) }

// Stopped is Worker.
func (c *child) Stopped() bool { return stopped(c.cmd.Process.Pid) }

// Resume is Worker.
func (c *child) Resume() error { return resumeGroup(c.cmd.Process.Pid) }
