//go:build unix

package doctor

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"

	"github.com/lockbench/lockbench/internal/env/cluster/worker"
)

// enoughFiles is the number of files that 64 clients, 9 masters and their proxies may open.
const enoughFiles = 4096

func openFiles() Finding {
	f := Finding{Name: "open files", For: "many clients"}
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return f.with("", err)
	}
	f.OK, f.Found = limit.Cur >= enoughFiles, fmt.Sprint(limit.Cur)
	if !f.OK {
		f.Advice = fmt.Sprintf("ulimit -n %d", enoughFiles)
	}
	return f
}

func signals() Finding {
	return Finding{Name: "signals", For: "pausing and killing in the environment process",
		Advice: "run lockbench outside of what filters signals (seccomp, a sandbox)",
	}.with("a process can be stopped, continued and killed", refusedSignal())
}

// refusedSignal checks on a process of our own that processes can be stopped, continued and killed.
func refusedSignal() error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	c := exec.Command(self)
	c.Env = worker.Env()
	if _, err = c.StdinPipe(); err == nil { // keeps the worker waiting for orders
		err = c.Start()
	}
	if err != nil {
		return err
	}
	defer c.Wait()
	for _, s := range []syscall.Signal{syscall.SIGSTOP, syscall.SIGCONT, syscall.SIGKILL} {
		if err := c.Process.Signal(s); err != nil {
			return fmt.Errorf("%v is refused: %w", s, err)
		}
	}
	return nil
}
