package cluster

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// ErrNoRedis says that redis-server is not installed.
var ErrNoRedis = errors.New("redis-server is not installed: `apt-get install redis-server`, or run `make run`, which does it")

// NodeConfig says how a redis-server is to be started.
type NodeConfig struct {
	Name      string // n0, n1, …
	Host      string // loopback address
	Port      int
	Dir       string            // where it lives; made if missing
	Log       string            // file for its output
	ReplicaOf string            // host:port of its master, or of the proxy before it
	Config    []string          // further settings: "min-replicas-to-write", "1", …
	Env       []string          // further environment: "LD_PRELOAD=…"
	Watches   string            // host:port of the master: the server is a sentinel
	Said      func(line string) // told of each line of its output; may be nil
}

// Node is a running redis-server.
type Node struct {
	NodeConfig
	cmd   *exec.Cmd
	ready chan struct{} // closed when it accepts connections and, as a replica, has its first copy
	done  chan struct{} // closed when it is gone
	err   error         // why, after done
	heard int           // of a sentinel: replicas and sentinels that it knows
}

// readyTimeout bounds the start of a server; 30 ms is usual.
const readyTimeout = 5 * time.Second

// arguments make a server that keeps nothing on disk, expires keys promptly and feeds its replica without the delays of
// REALFAULT.md §0.3.
func (c NodeConfig) arguments() []string {
	a := []string{
		"--bind", c.Host, "--port", strconv.Itoa(c.Port), "--dir", c.Dir, "--protected-mode", "no", "--daemonize", "no",
		"--save", "", "--appendonly", "no", "--hz", "100", "--repl-timeout", "3600",
		"--repl-diskless-sync", "no", "--repl-diskless-sync-delay", "0",
	}
	if c.ReplicaOf != "" {
		host, port, _ := net.SplitHostPort(c.ReplicaOf)
		a = append(a, "--replicaof", host+" "+port)
	}
	for i := 0; i+1 < len(c.Config); i += 2 {
		a = append(a, "--"+c.Config[i], c.Config[i+1])
	}
	return a
}

// StartNode starts a redis-server and returns at once; Ready waits for it.
func StartNode(c NodeConfig) (*Node, error) {
	bin, err := exec.LookPath("redis-server")
	if err != nil {
		return nil, ErrNoRedis
	}
	if err := os.MkdirAll(c.Dir, 0o755); err != nil {
		return nil, err
	}
	args := c.arguments()
	if c.Watches != "" {
		file, err := c.watcherConfig()
		if err != nil {
			return nil, err
		}
		args = []string{file, "--sentinel"}
	}
	log, err := os.OpenFile(c.Log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return nil, err
	}
	n := &Node{NodeConfig: c, cmd: exec.Command(bin, args...), ready: make(chan struct{}), done: make(chan struct{})}
	n.cmd.Env = append(os.Environ(), c.Env...)
	out, err := n.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	n.cmd.Stderr = n.cmd.Stdout
	if err := start(n.cmd); err != nil {
		return nil, fmt.Errorf("cannot start %s: %w", bin, err)
	}
	go n.follow(out, log)
	return n, nil
}

// follow copies the server's output to its log, and learns from it when it is ready: nothing needs to poll.
func (n *Node) follow(out io.Reader, log io.WriteCloser) {
	defer log.Close()
	var once sync.Once
	lines := bufio.NewScanner(out)
	last := ""
	for lines.Scan() {
		line := lines.Text()
		fmt.Fprintln(log, line)
		if n.saysReady(line) {
			once.Do(func() { close(n.ready) })
		}
		if n.Said != nil {
			n.Said(line)
		}
		if strings.TrimSpace(line) != "" {
			last = line
		}
	}
	err := n.cmd.Wait()
	n.err = fmt.Errorf("redis-server %s ended (%v); its last words: %s", n.Name, err, last)
	close(n.done)
}

func (n *Node) saysReady(line string) bool {
	if n.Watches != "" {
		return n.discovered(line)
	}
	if n.ReplicaOf != "" {
		return strings.Contains(line, "MASTER <-> REPLICA sync: Finished with success")
	}
	return strings.Contains(line, "Ready to accept connections")
}

// Ready waits until the server can be used.
func (n *Node) Ready() error {
	t := time.NewTimer(readyTimeout)
	defer t.Stop()
	select {
	case <-n.ready:
		return nil
	case <-n.done:
		return n.err
	case <-t.C:
		return fmt.Errorf("redis-server %s is not ready after %v; see %s", n.Name, readyTimeout, filepath.Base(n.Log))
	}
}

// Addr is host:port.
func (n *Node) Addr() string { return net.JoinHostPort(n.Host, strconv.Itoa(n.Port)) }

// Done is closed when the server is gone; Err then says why.
func (n *Node) Done() <-chan struct{} { return n.done }

// Err is the reason after Done.
func (n *Node) Err() error { return n.err }

// signal sends a signal to the server.
func (n *Node) signal(s syscall.Signal) error { return syscall.Kill(-n.cmd.Process.Pid, s) }

// Kill ends the server, stopped or not, and returns when it is gone.
func (n *Node) Kill() {
	_ = n.signal(syscall.SIGKILL) // it may be gone already
	<-n.done
}
