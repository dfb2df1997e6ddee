package cluster

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/lockbench/lockbench/internal/base/proc"
	"github.com/lockbench/lockbench/internal/env/cluster/server"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/workloads"
)

// election follows the promotions that servers decide on themselves: sentinels, the nodes of a
// Redis Cluster, or an ensemble. A fault and a message of a server may come at once.
type election struct {
	inbox    *inbox
	fault    string // name of a promotion in the history
	electors func() []elector

	mu     sync.Mutex
	close  bool   // the electors watch closely
	begun  string // replica that was promoted last
	master string // master that clients were told last
}

// elector is a server that promotes another when the master was silent for too long.
type elector interface {
	Watch(patience time.Duration) error
}

// downAfter is how long a master must be silent before a sentinel gives it up. Redis checks that
// ten times a second.
const downAfter = 500 * time.Millisecond

// alarm makes the electors watch closely from now on, or be patient again.
func (e *election) alarm(close bool) error {
	d := server.PatientAfter
	if close {
		d = downAfter
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.close == close {
		return nil
	}
	e.close = close
	electors := e.electors()
	errs := make([]error, len(electors))
	var all sync.WaitGroup
	for i, n := range electors {
		all.Go(func() { errs[i] = n.Watch(d) })
	}
	all.Wait()
	return errors.Join(errs...)
}

// relax makes the electors patient again. It ignores errors, since an elector may be gone.
func (e *election) relax() { go func() { _ = e.alarm(false) }() }

// lead records which node is the first master.
func (e *election) lead(node string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.begun, e.master = node, node
}

// promoted reports a phase of a promotion once. It reports the start as well if the end is the
// first message, since messages of several servers may arrive in any order.
func (e *election) promoted(phase, node string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.begun != node {
		e.begun = node
		e.report(history.PhaseFrom, node)
	}
	if phase == history.PhaseTo && e.master != node {
		e.master = node
		e.report(phase, node)
	}
}

func (e *election) report(phase, node string) {
	e.inbox.report(workloads.Report{Process: history.Harness, Event: &history.Event{
		Type: history.Fault, T: proc.Monotonic(), Process: history.Harness, F: e.fault, Phase: phase,
		Target: node}})
}

// switching is how long a replica may take to start its takeover: a sentinel asks the others first.
const switching = 5 * time.Second

// prove waits until a replica that was told to take over says that it starts.
func (e *election) prove(name string) error {
	if !proc.Await(switching, time.Millisecond, func() bool { return e.candidate() == name }) {
		return fmt.Errorf("%s: it does not take over", name)
	}
	return nil
}

// candidate returns the replica that was promoted last.
func (e *election) candidate() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.begun
}
