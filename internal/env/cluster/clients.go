package cluster

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"time"

	"github.com/lockbench/lockbench/internal/base/proc"
	"github.com/lockbench/lockbench/internal/env/cluster/server"
	"github.com/lockbench/lockbench/nemesis"
	"github.com/lockbench/lockbench/workloads"
)

// clients are the workers of an environment.
type clients struct {
	cfg   *Config
	inbox *inbox
	all   []*client
}

func (s *clients) start() error {
	for i := range s.cfg.Clients {
		c, err := s.startClient(i)
		if err != nil {
			return err
		}
		s.all = append(s.all, c)
	}
	return nil
}

// startClient starts a worker. Every report, and at last its exit, goes to the inbox.
func (s *clients) startClient(process int) (*client, error) {
	name := "c" + strconv.Itoa(process)
	stderr, err := os.Create(s.cfg.log(name))
	if err != nil {
		return nil, err
	}
	defer stderr.Close()
	p, err := s.cfg.Spawner.Spawn(name, stderr)
	if err != nil {
		return nil, fmt.Errorf("cannot start worker %d: %w", process, err)
	}
	c := newClient(p, process)
	c.late = slices.Contains(nemesis.Launched(s.cfg.Scenario), name)
	go c.follow(s.inbox.reports)
	return c, nil
}

// awaitReady waits until all workers are connected that are not launched later, and adds their
// versions.
func (s *clients) awaitReady(patience time.Duration, versions map[string]string) error {
	limit := time.After(patience)
	for ready := len(nemesis.Launched(s.cfg.Scenario)); ready < len(s.all); {
		select {
		case r := <-s.inbox.reports:
			switch {
			case r.Ready != nil:
				ready++
				maps.Copy(versions, r.Ready.Versions)
			case r.Failed != "":
				return fmt.Errorf("worker %d: %s", r.Process, r.Failed)
			case r.Exit != nil:
				return fmt.Errorf("worker %d ended while it started (%s); see logs/c%d.log", r.Process,
					r.Exit.Err, r.Process)
			}
		case <-limit:
			return fmt.Errorf("%d of %d workers are ready after %v; see %s", ready, len(s.all), patience,
				filepath.Dir(s.cfg.log("")))
		}
	}
	return nil
}

func (s *clients) close() { closeAll(s.all, (*client).close) }

// Send gives a worker an order. A worker that is gone gets none.
func (s *clients) Send(client int, o workloads.Order) { s.all[client].send(o) }

func (s *clients) with(i int, f func(*client) error) error {
	if i < 0 || i >= len(s.all) {
		return fmt.Errorf("there is no client %d", i)
	}
	return f(s.all[i])
}

// KillClient ends a worker with SIGKILL and returns when its last report has been passed on.
func (s *clients) KillClient(i int) error {
	return s.with(i, func(c *client) error {
		c.kill()
		return nil
	})
}

// LaunchClient configures a worker that has waited for this.
func (s *clients) LaunchClient(i int) error {
	return s.with(i, func(c *client) error {
		c.launch()
		return nil
	})
}

// patience is how long a worker may take to be ready.
func (s *clients) patience() time.Duration {
	if p, ok := s.cfg.Spawner.(interface{ Patience() time.Duration }); ok {
		return p.Patience()
	}
	return 4 * server.Patience // a worker may be a container that starts
}

// PauseClient stops a worker.
func (s *clients) PauseClient(i int) error {
	return s.with(i, (*client).Pause)
}

// ResumeClient lets a worker run again.
func (s *clients) ResumeClient(i int) error {
	return s.with(i, (*client).Resume)
}

// prove fails if a client that was killed or paused still runs.
func (s *clients) prove(step nemesis.Step) error {
	i, err := nemesis.Client(step.Target)
	if err != nil {
		return err
	}
	return s.with(i, func(c *client) error {
		gone := step.Do == nemesis.Crash && isClosed(c.done)
		if !gone && (step.Do == nemesis.Crash || !proc.Eventually(c.Stopped)) {
			return fmt.Errorf("%s: it still runs", step.Target)
		}
		return nil
	})
}

// Idles reports whether Rest works here.
func (s *clients) Idles() bool {
	if runtime.GOOS != "linux" {
		return false // Rest reads proc(5)
	}
	for _, c := range s.all {
		if _, ok := c.Worker.(server.Idler); !ok {
			return false
		}
	}
	return true
}

// WaitIdle waits until a client only waits, for at most d, and reports whether it does. A client
// that is paused or gone only waits.
func (s *clients) WaitIdle(i int, d time.Duration) bool {
	if i < 0 || i >= len(s.all) {
		return true
	}
	p, ok := s.all[i].Worker.(server.Idler)
	for end := time.Now().Add(d); ok && !p.Idle(); proc.Nap() {
		if time.Now().After(end) {
			return false
		}
	}
	return true
}
