package nemesis

import (
	"fmt"
	"time"
)

// The capabilities that an environment may have, one small interface each. An environment without a
// capability cannot run the steps that need it. Possible reports this before the run.
type (
	// NodeKiller ends a node at once and returns when it is gone. It starts the node again, with the
	// files that it left behind, and returns when it answers.
	NodeKiller interface {
		KillNode(node string) error
		StartNode(node string) error
	}
	// DiskLoser removes the files of a node that was killed.
	DiskLoser interface{ LoseDisk(node string) error }
	// NodePauser stops a node and lets it run again.
	NodePauser interface {
		PauseNode(node string) error
		ResumeNode(node string) error
	}
	// NodeClocker sets a node's wall clock ahead by offset, or stops it until it is set again.
	NodeClocker interface {
		SetNodeClock(node string, offset time.Duration) error
		StopNodeClock(node string) error
	}
	// NodeBlocker keeps a node busy with a script that does not end, until it is freed, or with one
	// command for d. Meanwhile the node answers no client. Stall returns when the node has started the
	// command, and Free waits for its end.
	NodeBlocker interface {
		Block(node string) error
		Stall(node string, d time.Duration) error
		Free(node string) error
	}
	// Flusher deletes all keys of a node, or all scripts that it was sent.
	Flusher interface {
		Flush(node string) error
		ForgetScripts(node string) error
	}
	// MemoryFiller makes a node refuse each write that needs memory, until its memory is freed.
	MemoryFiller interface {
		FillMemory(node string) error
		FreeMemory(node string) error
	}
	// SwitcherOver orders a replica to take over with its master's consent. It does not wait until the
	// replica has.
	SwitcherOver interface{ SwitchOver(node string) error }
	// SlotMover moves the slot of the run's keys, with all keys in it, to another master of a cluster.
	SlotMover interface{ MoveSlot(node string) error }
	// Promoter makes a replica a master.
	Promoter interface{ Promote(node string) error }
	// Replicator waits until every replica has all of its master's writes.
	Replicator interface{ Barrier() error }
	// Linker puts a link under a fault, until Heal.
	Linker interface {
		Cut(link, mode string) error
		HoldBack(link, mode string) error
		Delay(link string, d time.Duration) error
		Refuse(link string) error
		Reset(link string) error
		Heal(link string) error
	}
	// ClientKiller ends a client's process at once and returns when it is gone.
	ClientKiller interface{ KillClient(client int) error }
	// ClientLauncher starts a client that a step Launch of the scenario names. It returns when the
	// client is ready or has given up, or when that takes long. Until then the client is not there.
	ClientLauncher interface{ LaunchClient(client int) error }
	// ClientPauser stops a client's process and lets it run again.
	ClientPauser interface {
		PauseClient(client int) error
		ResumeClient(client int) error
	}
	// ClientSuspender stops a client's process as ClientPauser does. Its monotonic clock stands until
	// it runs again, and its wall clock goes on.
	ClientSuspender interface {
		SuspendClient(client int) error
		WakeClient(client int) error
	}
	// Prover is an environment that can check the effect of a fault.
	Prover interface {
		// Prove checks the effect of a fault that was just carried out. It returns an error that names
		// the missing part, or nil if nothing is missing or the effect cannot be seen.
		Prove(s Step) error
	}
	// Observer is an environment that receives each step before the step is carried out.
	Observer interface{ Observe(s Step) }
)

// capability holds the check whether an environment supports an action, and the call that does it.
type capability struct {
	has func(environment any) bool
	use func(environment any, s Step) error
}

// by makes a capability from an interface and a call of it.
func by[C any](f func(C, Step) error) capability {
	return capability{
		has: func(environment any) bool { _, ok := environment.(C); return ok },
		use: func(environment any, s Step) error {
			w, ok := environment.(C)
			if !ok {
				return fmt.Errorf("this environment cannot %s", s.Do)
			}
			return f(w, s)
		},
	}
}

// byClient returns the capability for an action whose target is one client.
func byClient[C any](f func(C, int) error) capability {
	return by(func(w C, s Step) error {
		c, err := Client(s.Target)
		if err != nil {
			return err
		}
		return f(w, c)
	})
}

// Apply carries out a step on an environment that has the capability for it.
func Apply(environment any, s Step) error {
	by := s.action().by
	if by.use == nil {
		return fmt.Errorf("no environment can %q", s.Do)
	}
	if o, ok := environment.(Observer); ok {
		o.Observe(s)
	}
	return by.use(environment, s)
}

// Prove checks the effect of a fault that was just carried out, if the environment can.
func Prove(environment any, s Step) error {
	if p, ok := environment.(Prover); ok {
		if err := p.Prove(s); err != nil {
			return fmt.Errorf("it had no effect: %w", err)
		}
	}
	return nil
}

// Possible returns the reason why a scenario cannot run in an environment, or nil if it can.
// Callers use it before the run.
func Possible(environment any, steps []Step) error {
	for _, s := range steps {
		if has := s.action().by.has; has != nil && !has(environment) {
			return impossible("it cannot " + s.Do)
		}
	}
	return nil
}
