package adapter

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/lockbench/lockbench/adapters"
	"github.com/lockbench/lockbench/internal/base/proc"
	"github.com/lockbench/lockbench/internal/env/cluster/clock"
	"github.com/lockbench/lockbench/internal/env/cluster/server"
	"github.com/lockbench/lockbench/workloads"
)

// Spawner starts clients whose lock is in an adapter. It is a server.Spawner.
type Spawner struct {
	Adapter adapters.Installed
	Options map[string]adapters.Option // of the variant
	Lease   time.Duration              // of a grant whose command names no lease; 0 if it has none
	Key     func(name string) string   // returns the library's name of a key
	// whether the scenario moves the wall clocks of the clients
	Clocks bool
	Dir    string // for the files of the clocks
	// clients connect to their links directly, because these carry another protocol than Redis'
	Direct bool
	Guards bool     // the adapter keeps the guarded number, and decides on each write
	Env    []string // further environment, with the clients' credentials

	limits  limits             // zero means usual
	scripts *workloads.Scripts // commands of the library's scripts
}

// NewSpawner makes a Spawner whose clients share their knowledge of scripts.
func NewSpawner(in adapters.Installed) Spawner {
	return Spawner{Adapter: in, scripts: new(workloads.Scripts)}
}

// worker is a client in two parts. Faults hit the adapter's process. The bridge, in this process,
// gives it orders. A tap separates the process from its links.
type worker struct {
	spawner Spawner
	child   *child
	clock   *clientClock
	life    context.Context
	end     context.CancelFunc
	out     *io.PipeReader
	in      *io.PipeWriter
	ran     sync.WaitGroup // the goroutines of the bridge
	over    chan struct{}  // closed when everything was reported

	mu     sync.Mutex // guards the fields below and orders the reports
	dead   bool       // the process has ended: only its earlier output is still reported
	bridge *workloads.Worker
	remote *remote
}

// Spawn implements server.Spawner.
func (s Spawner) Spawn(name string, log *os.File) (server.Worker, error) {
	w := &worker{spawner: s, over: make(chan struct{})}
	w.out, w.in = io.Pipe()
	w.life, w.end = context.WithCancel(context.Background())
	cmd := s.Adapter.Command()
	cmd.Env = append(cmd.Env, s.Env...)
	if s.Clocks {
		var err error
		if w.clock, err = newClientClock(s.Dir, name, s.Adapter.Clock); err != nil {
			return nil, err
		}
		cmd.Env = append(cmd.Env, w.clock.env...)
	}
	own, err := os.OpenFile(log.Name(), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return nil, err
	}
	if w.child, err = start(s.Adapter.Name, cmd, own, cmp.Or(s.limits, usual), w.unasked); err != nil {
		own.Close()
		return nil, fmt.Errorf("the adapter %s: %w", s.Adapter.Name, err)
	}
	go w.follow()
	return w, nil
}

// follow ends the bridge when the process has ended, after it has reported the rest of the output.
func (w *worker) follow() {
	<-w.child.gone
	w.mu.Lock()
	w.dead = true
	broken, remote := w.child.broken, w.remote
	w.mu.Unlock()
	w.end()
	w.ran.Wait()
	if broken != nil {
		w.say(workloads.Report{Failed: broken.Error()})
	}
	if remote != nil && remote.tap != nil {
		remote.tap.Close()
	}
	w.in.Close()
	close(w.over)
}

// report passes on the reports of the bridge. After the process' end it passes on only events and
// commands, because they stem from earlier output.
func (w *worker) report(r workloads.Report) {
	w.mu.Lock()
	dead := w.dead
	w.mu.Unlock()
	if !dead || r.Event != nil || r.Command != nil {
		w.say(r)
	}
}

func (w *worker) say(r workloads.Report) {
	line, err := json.Marshal(r)
	if err == nil {
		_, _ = w.in.Write(append(line, '\n')) // the reader reads to the end
	}
}

// Write implements server.Worker. It takes the orders of the harness, a line each.
func (w *worker) Write(line []byte) (int, error) {
	var o workloads.Order
	err := json.Unmarshal(line, &o)
	if err == nil {
		err = w.handle(o)
	}
	if err != nil && !errors.Is(err, workloads.ErrGone) {
		w.child.blame(err)
	}
	return len(line), nil
}

func (w *worker) handle(o workloads.Order) error {
	w.mu.Lock()
	bridge, dead := w.bridge, w.dead
	w.mu.Unlock()
	switch {
	case dead:
		return nil
	case o.Do == workloads.DoConfig && o.Config != nil && bridge == nil:
		return w.configure(*o.Config)
	case bridge == nil:
		return fmt.Errorf("the first order is %q", o.Do)
	}
	return bridge.Handle(o)
}

// configure creates the bridge, and sends the configuration to the process.
func (w *worker) configure(cfg workloads.Config) error {
	env := workloads.NewEnv(w.life, cfg.Seed, func() time.Duration {
		return time.Duration(proc.Monotonic())
	})
	s := w.spawner
	r := &remote{child: w.child, clock: w.clock, cfg: cfg, direct: s.Direct, guards: s.Guards,
		Grants: workloads.NewGrants(cfg, s.Lease, s.Key, cmp.Or(s.scripts, new(workloads.Scripts)))}
	bridge := workloads.NewBridge(w.life, cfg, env, r, w.report)
	r.bridge = bridge
	first, err := r.connect(w.spawner.Options)
	if err != nil {
		return err
	}
	w.mu.Lock()
	w.bridge, w.remote = bridge, r
	w.mu.Unlock()
	w.ran.Go(bridge.Run)
	go w.await()
	return w.child.order(first)
}

// Patience returns the longest time that the start of a client may take.
func (Spawner) Patience() time.Duration { return usual.ready + 5*time.Second }

// await reports that the process is ready.
func (w *worker) await() {
	select {
	case a := <-w.child.ready:
		if w.clock != nil && !w.clock.read(a.PID) {
			w.child.blame(errors.New("its wall clock cannot be moved: it does not read the file in " +
				"LOCKBENCH_CLOCK (of a program in Go: its setup did not build it, or this Go's package " +
				"time is another one)"))
			return
		}
		w.report(workloads.Report{Ready: &workloads.Ready{PID: a.PID, T: proc.Monotonic(),
			Versions: a.Versions}})
	case <-w.child.gone:
	case <-time.After(w.child.limits.ready):
		w.child.blame(fmt.Errorf("it was not ready within %v", w.child.limits.ready))
	}
}

// unasked reports the unasked answers of the process.
func (w *worker) unasked(a Answer) {
	w.mu.Lock()
	bridge := w.bridge
	w.mu.Unlock()
	switch {
	case bridge == nil:
	case a.Is == isLost:
		bridge.RecordLost(a.N, a.T, a.By)
	case a.Is == isGap:
		bridge.Gap(a.T, time.Duration(a.NS))
	}
}

// Output and Wait implement server.Worker.
func (w *worker) Output() io.Reader { return w.out }

func (w *worker) Wait() error {
	<-w.over
	return w.child.ended()
}

// Close implements server.Worker. It closes the process' input.
func (w *worker) Close() error {
	w.child.close()
	return nil
}

// Kill implements server.Worker.
func (w *worker) Kill() { _ = proc.KillGroup(w.child.cmd.Process.Pid) }

// Pause implements server.Worker. It stops the adapter's process, but not the bridge. Commands that
// are under way go on.
func (w *worker) Pause() error { return w.child.pause() }

// Stopped implements server.Worker.
func (w *worker) Stopped() bool { return proc.Stopped(w.child.cmd.Process.Pid) }

// Idle implements server.Idler, for the adapter's process.
func (w *worker) Idle() bool { return server.Idle(w.child.cmd.Process.Pid) }

// Resume implements server.Worker.
func (w *worker) Resume() error { return w.child.resume() }

// clientClock moves the wall clock of an adapter's process.
type clientClock struct {
	file *clock.Server
	env  []string

	mu   sync.Mutex
	stop func() // ends the adjustments of a clock with a wrong rate
}

// newClientClock creates the file of a clock. The parameter way says how the program reads it.
func newClientClock(dir, name, way string) (*clientClock, error) {
	dir, err := filepath.Abs(dir) // the process has another working directory
	if err != nil {
		return nil, err
	}
	file, err := clock.New(dir, name)
	if err != nil {
		return nil, err
	}
	c := &clientClock{file: file, env: file.Built(), stop: func() {}}
	if way != adapters.ClockOverlay {
		lib, err := clock.Shim()
		if err != nil {
			return nil, err
		}
		c.env = file.Environment(lib)
	}
	return c, nil
}

// read reports whether a process reads the clock's file. It returns true if the system does not
// say.
func (c *clientClock) read(pid int) bool {
	maps, err := os.ReadFile(fmt.Sprintf("/proc/%d/maps", pid))
	file, unresolved := filepath.EvalSymlinks(c.file.Path)
	return cmp.Or(err, unresolved) != nil || strings.Contains(string(maps), file)
}

// rateStep is the interval at which a clock with a wrong rate is set.
const rateStep = 2 * time.Millisecond

// set makes the clock wrong by offset, gaining rate seconds a second from now on, until life ends.
func (c *clientClock) set(life context.Context, offset time.Duration, rate float64) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stop()
	c.stop = func() {}
	if err := c.file.Set(offset); err != nil || rate == 0 {
		return err
	}
	ctx, stop := context.WithCancel(life)
	var done sync.WaitGroup
	c.stop = func() { stop(); done.Wait() }
	begin := time.Now()
	done.Go(func() {
		proc.Every(rateStep, ctx.Done(), func() bool {
			_ = c.file.Set(offset + time.Duration(rate*float64(time.Since(begin))))
			return true
		})
	})
	return nil
}
