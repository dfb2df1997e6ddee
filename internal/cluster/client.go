package cluster

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"github.com/lockbench/lockbench/workloads"
)

// workerEnv marks a process as a worker. The same binary plays both parts, so that nothing else has to be installed.
const workerEnv = "LOCKBENCH_PLAY"

// client is a worker process as the harness sees it.
type client struct {
	process int
	cmd     *exec.Cmd
	in      io.WriteCloser
	mu      sync.Mutex // orders may come from the loop and from Close
	enc     *json.Encoder
	done    chan struct{}
}

// startClient starts a worker process. Every report, and at last its exit, goes to inbox.
func startClient(process int, log string, inbox chan<- workloads.Report) (*client, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	stderr, err := os.Create(log)
	if err != nil {
		return nil, err
	}
	defer stderr.Close()
	c := &client{process: process, cmd: exec.Command(self), done: make(chan struct{})}
	c.cmd.Env = append(os.Environ(), workerEnv+"=worker", "GOMAXPROCS=1")
	c.cmd.Stderr = stderr
	if c.in, err = c.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	c.enc = json.NewEncoder(c.in)
	if err := start(c.cmd); err != nil {
		return nil, fmt.Errorf("cannot start worker %d: %w", process, err)
	}
	go c.follow(out, inbox)
	return c, nil
}

// follow passes reports on until the worker is gone. What a killed worker had written is read to the end, only a last line
// that it did not finish is dropped.
func (c *client) follow(out io.Reader, inbox chan<- workloads.Report) {
	lines := bufio.NewScanner(out)
	lines.Buffer(make([]byte, 64<<10), 16<<20)
	var bad error
	for lines.Scan() {
		if bad != nil { // it was not the last line
			inbox <- workloads.Report{Process: c.process, Failed: "wrote a line that is no report: " + bad.Error()}
		}
		var r workloads.Report
		if bad = json.Unmarshal(lines.Bytes(), &r); bad == nil {
			r.Process = c.process
			inbox <- r
		}
	}
	err := c.cmd.Wait()
	inbox <- workloads.Report{Process: c.process, Exit: &workloads.Exit{T: Monotonic(), Err: fmt.Sprint(c.cmd.ProcessState, nilAsEmpty(err))}}
	close(c.done)
}

func nilAsEmpty(err error) string {
	if err == nil {
		return ""
	}
	return ": " + err.Error()
}

// send writes one order. The error of a worker that is gone is not worth one: its exit is reported.
func (c *client) send(o workloads.Order) {
	c.mu.Lock()
	defer c.mu.Unlock()
	_ = c.enc.Encode(o)
}

// signal sends a signal to the worker.
func (c *client) signal(s syscall.Signal) error { return syscall.Kill(-c.cmd.Process.Pid, s) }

// kill ends the worker, stopped or not, and returns when its last report has been passed on.
func (c *client) kill() {
	_ = c.signal(syscall.SIGKILL)
	<-c.done
}

// closeTimeout is how long a worker may take to end by itself.
const closeTimeout = 500 * time.Millisecond

// close asks the worker to end by closing its input, and kills it if it does not.
func (c *client) close() {
	c.mu.Lock()
	c.in.Close()
	c.mu.Unlock()
	_ = c.signal(syscall.SIGCONT)
	select {
	case <-c.done:
	case <-time.After(closeTimeout):
		c.kill()
	}
}
