package server

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/lockbench/lockbench/internal/base/proc"
	"github.com/lockbench/lockbench/internal/env/cluster/proxy"
)

// ErrNoRedis says that redis-server is not installed.
var ErrNoRedis = errors.New(
	"redis-server is not installed: `apt-get install redis-server`, or run `make run`, which installs it")

// errNotLinux says that only Linux can run servers as processes. Other systems do not end a child
// with its parent, and not all of their 127.0.0.0/8 is loopback.
var errNotLinux = errors.New("the environment process is for Linux; take --env docker or --env sim")

// Processes launches servers as processes of this machine.
type Processes struct {
	// Redis is the path of the program that is a Redis or speaks as one, such as a valkey-server;
	// "": the redis-server that is installed.
	Redis string
}

// Name implements Launcher.
func (Processes) Name() string { return "process" }

// Versions implements Launcher. Nothing lies between lockbench and Redis.
func (Processes) Versions() map[string]string { return nil }

// ServerVersion implements Launcher.
func (launcher Processes) ServerVersion() (string, error) {
	bin, err := launcher.find(Redis{})
	if err != nil {
		return "", err
	}
	out, err := exec.Command(bin, "--version").Output()
	return string(out), err
}

// Program is the whole path of a program that is to be started as Redis. Its name must say that it
// is a server, because a plan or a gate file from elsewhere may name it. The error is one line.
func Program(name string) (path string, err error) {
	if !strings.HasSuffix(name, "-server") {
		return "", fmt.Errorf("--server %s: its name must end in -server, such as valkey-server", name)
	}
	if path, err = exec.LookPath(name); err != nil {
		if why, ok := errors.AsType[*exec.Error](err); ok {
			err = why.Err
		}
		if at, ok := errors.AsType[*fs.PathError](err); ok {
			err = at.Err
		}
		return "", fmt.Errorf("--server %s cannot be started: %w", name, err)
	}
	return filepath.Abs(path)
}

func (launcher Processes) find(k Kind) (string, error) {
	if launcher.Redis != "" && k.Name() == (Redis{}).Name() {
		return launcher.Redis, nil
	}
	return k.Find()
}

// Remote implements Launcher: the proxies belong into this process.
func (Processes) Remote() (*proxy.Remote, error) { return nil, nil }

// Cannot implements Launcher: what needs something to be installed is refused when it is prepared.
func (Processes) Cannot(string) error { return nil }

// Launch implements Launcher.
func (launcher Processes) Launch(c NodeConfig) (Server, error) {
	if runtime.GOOS != "linux" {
		return nil, errNotLinux
	}
	bin, err := launcher.find(c.kind())
	if err != nil {
		return nil, err
	}
	args, err := Furnish(c)
	if err != nil {
		return nil, err
	}
	life, err := NewLife(c)
	if err != nil {
		return nil, err
	}
	if c.Kind != nil {
		life.Patience = PatienceOthers
	}
	p := &process{Life: life, cmd: exec.Command(bin, args...)}
	p.cmd.Env = append(proc.Environ(), c.Env...)
	if _, ok := c.kind().(Packed); ok {
		if err := proc.Unprivileged(p.cmd, c.Dir); err != nil {
			return nil, err
		}
	}
	if c.Clock != nil {
		env, err := wind(c.Clock)
		if err != nil {
			return nil, err
		}
		p.cmd.Env = append(p.cmd.Env, env...)
	}
	return p, p.run()
}

// PatienceOthers bounds the start of other servers than Redis: half a second is usual, and much
// more on a machine that is busy.
const PatienceOthers = time.Minute

// process is a server that runs as a process.
type process struct {
	*Life
	cmd *exec.Cmd
}

// Pid returns the process ID of the server itself.
func (p *process) Pid() int { return p.cmd.Process.Pid }

func (p *process) run() error {
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	p.cmd.Stderr = p.cmd.Stdout
	if err := proc.Start(p.cmd); err != nil {
		return fmt.Errorf("cannot start %s: %w", p.cmd.Path, err)
	}
	p.remember()
	go p.follow(out)
	return nil
}

func (p *process) follow(out io.Reader) {
	p.Follow(out)
	err := p.cmd.Wait()
	p.tidy()
	p.End(err)
}

// Pause implements Server.
func (p *process) Pause() error { return p.signal(proc.StopGroup) }

// signal signals the server's group and, for systems other than Redis, the groups of its children.
// The server comes first, so that it starts no more children. For Redis it does not look for
// children, since reading /proc of a process that ends makes its end slow.
func (p *process) signal(send func(pid int) error) error {
	pid := p.cmd.Process.Pid
	err := send(pid)
	if p.Kind == nil {
		return err
	}
	for _, child := range proc.Descendants(pid) {
		_ = send(child)
	}
	return err
}

// Stopped, Resume and Kill implement Server.
func (p *process) Stopped() bool { return proc.Stopped(p.cmd.Process.Pid) }
func (p *process) Resume() error { return p.signal(proc.ResumeGroup) }

func (p *process) Kill() {
	_ = p.signal(proc.KillGroup) // it may be gone already
	<-p.Done()
}

// StartNode starts a redis-server as a process and returns at once; Ready waits for it.
func StartNode(c NodeConfig) (*Node, error) {
	p, err := Processes{}.Launch(c)
	if err != nil {
		return nil, err
	}
	return &Node{c, p}, nil
}
