package cluster

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/lockbench/lockbench/internal/cluster/server"
	"github.com/lockbench/lockbench/nemesis"
)

// find returns the number of a node.
func (w *Environment) find(node string) (int, error) {
	for i, n := range w.nodes {
		if n.Name == node {
			return i, nil
		}
	}
	return 0, fmt.Errorf("there is no node %q", node)
}

// KillNode ends a node with SIGKILL and returns when it is gone.
func (w *Environment) KillNode(node string) error {
	i, err := w.find(node)
	if err != nil {
		return err
	}
	if err := w.alarm(true); err != nil {
		return err
	}
	w.killed.Store(w.nodes[i], true)
	w.nodes[i].Kill()
	return nil
}

// StartNode starts a killed node at its old address, with nothing in it, and returns when it
// answers.
func (w *Environment) StartNode(node string) error {
	if err := w.wipe(node); err != nil {
		return err
	}
	return w.ReviveNode(node)
}

// PauseNode stops a node. The kernel goes on to accept connections for it.
func (w *Environment) PauseNode(node string) error {
	i, err := w.find(node)
	if err != nil {
		return err
	}
	if err := w.alarm(true); err != nil {
		return err
	}
	return w.nodes[i].Pause()
}

// ResumeNode lets a node run again. What was sent to it meanwhile is executed now.
func (w *Environment) ResumeNode(node string) error {
	i, err := w.find(node)
	if err != nil {
		return err
	}
	return w.nodes[i].Resume()
}

// Cannot says why the environment cannot do what is called do in plans.
func (w *Environment) Cannot(do string) error { return w.cfg.Launcher.Cannot(do) }

// SetNodeClock makes a node's wall clock wrong by offset. Redis notices within a millisecond.
func (w *Environment) SetNodeClock(node string, offset time.Duration) error {
	c, ok := w.clocks[node]
	if !ok {
		return fmt.Errorf("the clock of %s cannot be moved", node)
	}
	return c.Set(offset)
}

// probeClocks makes sure that the nodes read their clocks through the shim: a server that was
// linked statically does not.
func (w *Environment) probeClocks() error {
	const jump = 30 * time.Minute // less than repl-timeout
	for node, c := range w.clocks {
		i, err := w.find(node)
		if err != nil {
			continue // a sentinel's
		}
		if err := c.Set(jump); err != nil {
			return err
		}
		t, err := w.admins[i].Time(context.Background()).Result()
		if err := errors.Join(err, c.Set(0)); err != nil {
			return err
		}
		if time.Until(t) < jump/2 {
			return nemesis.ImpossibleError{Reason: fmt.Errorf("the clock of %s cannot be moved: this "+
				"redis-server does not read it through the shim", node)}
		}
	}
	return nil
}

// Promote tells a replica to be a master (REPLICAOF NO ONE).
func (w *Environment) Promote(node string) error {
	i, err := w.find(node)
	if err != nil {
		return err
	}
	return w.admins[i].Do(context.Background(), "REPLICAOF", "NO", "ONE").Err()
}

// Barrier waits until every replica has all that its master was told.
func (w *Environment) Barrier() error {
	for i, n := range w.nodes {
		if replicas := w.replicas(n); replicas > 0 && !isClosed(n.Done()) {
			if err := server.Barrier(w.admins[i], replicas); err != nil {
				return err
			}
		}
	}
	return nil
}

// Block makes a node execute a script that does not end, and returns when it does. Soon the node
// answers others with -BUSY.
func (w *Environment) Block(node string) error {
	i, err := w.find(node)
	if err != nil {
		return err
	}
	ctx := context.Background()
	if err := w.alarm(true); err != nil {
		return err
	}
	if err := w.admins[i].ConfigSet(ctx, "lua-time-limit", "50").Err(); err != nil {
		return err
	}
	end := make(chan struct{})
	go func() { // it is answered when Free kills the script
		defer close(end)
		w.admins[i].Eval(ctx, "while true do end", nil)
	}()
	w.blocks[node] = end
	w.untilSilent(i)
	return nil
}

// untilSilent waits until a node does not answer at once, or for at most a second: what keeps it
// busy has to arrive. Whether it is busy is for Prove to say.
func (w *Environment) untilSilent(i int) {
	wait := silence / 4
	if w.remote != nil {
		wait = 2 * silence // the route is longer, and a busy machine makes it no shorter
	}
	for limit := time.Now().Add(time.Second); time.Now().Before(limit); time.Sleep(time.Millisecond) {
		ctx, cancel := context.WithTimeout(context.Background(), wait)
		err := w.admins[i].Ping(ctx).Err()
		cancel()
		if err != nil {
			return
		}
	}
}

// Free kills the script, or waits for the end of one that ends by itself.
func (w *Environment) Free(node string) error {
	i, err := w.find(node)
	if err != nil {
		return err
	}
	if end, ok := w.stalls[node]; ok {
		delete(w.stalls, node)
		return <-end
	}
	err = w.admins[i].ScriptKill(context.Background()).Err()
	if end, ok := w.blocks[node]; ok && err == nil {
		<-end // it is killed at its next step, after the answer
	}
	return err
}

// Stall makes a node execute a command that takes d, DEBUG SLEEP, during which it answers no client
// and what was sent waits: as with a slow script, for which Redis has no clock that could end it in
// time. Free returns when it has ended, and says if it was over too soon.
func (w *Environment) Stall(node string, d time.Duration) error {
	i, err := w.find(node)
	if err != nil {
		return err
	}
	if err := w.alarm(true); err != nil {
		return err
	}
	c, end := w.admins[i].WithTimeout(d+server.AdminTimeout), make(chan error, 1)
	go func() {
		begin := time.Now()
		err := c.Do(context.Background(), "DEBUG", "SLEEP", d.Seconds()).Err()
		if took := time.Since(begin); err == nil && took < d {
			err = fmt.Errorf("DEBUG SLEEP took %v instead of %v", took, d)
		}
		end <- err
	}()
	w.stalls[node] = end
	w.untilSilent(i)
	return nil
}

// debugging are the settings that allow DEBUG, which Redis needs from version 7 on and does not
// know before. `redis-server --version` prints "Redis server v=7.0.15 sha=…".
func debugging(version string) []string {
	_, v, _ := strings.Cut(version, " v=")
	major, _, _ := strings.Cut(v, ".")
	if n, err := strconv.Atoi(major); err == nil && n >= 7 {
		return []string{"enable-debug-command", "yes"}
	}
	return nil
}

// KillClient ends a worker with SIGKILL and returns when its last report has been passed on.
func (w *Environment) KillClient(i int) error {
	c, err := w.client(i)
	if err == nil {
		c.kill()
	}
	return err
}

// PauseClient stops a worker.
func (w *Environment) PauseClient(i int) error {
	c, err := w.client(i)
	if err != nil {
		return err
	}
	return c.Pause()
}

// ResumeClient lets a worker run again.
func (w *Environment) ResumeClient(i int) error {
	c, err := w.client(i)
	if err != nil {
		return err
	}
	return c.Resume()
}

func (w *Environment) client(i int) (*client, error) {
	if i < 0 || i >= len(w.clients) {
		return nil, fmt.Errorf("there is no client %d", i)
	}
	return w.clients[i], nil
}

// needs says what of a scenario has to be prepared when the environment is made.
func needs(steps []nemesis.Step, do, node string) bool {
	return slices.ContainsFunc(steps, func(s nemesis.Step) bool {
		return s.Do == do &&
			(node == "" || s.Node == node)
	})
}
