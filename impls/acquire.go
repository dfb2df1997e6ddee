package impls

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"
)

// ErrReplicas says that fewer replicas confirmed a grant than Options.WaitReplicas asks for, so
// that it was given back.
var ErrReplicas = errors.New("too few replicas confirmed the grant")

// attempt is one try for the lock. It reports a grant; (_, false, nil) says that another client has
// the lock, and an error ends the call.
type attempt func(ctx context.Context) (Grant, bool, error)

// acquire polls with try until it is granted, fails, or the waiting time is over. A grant that too
// few replicas confirmed goes back by release. The documents mostly show one attempt; the loop
// around it is what their readers write.
func (s Setup) acquire(ctx context.Context, try attempt, release func(context.Context,
	Grant) error) (Grant, error) {
	if err := ctx.Err(); err != nil {
		return Grant{}, held(err)
	}
	start := s.Env.Elapsed()
	left := false // an attempt that was not granted left something behind
	for {
		g, ok, err := try(ctx)
		switch {
		case ok && err == nil:
			return g, s.confirm(ctx, g, release)
		case errors.Is(err, errLeft):
			left = true
		case err != nil:
			return g, changed(err, left)
		}
		if t := s.Options.AcquireTimeout; t > 0 && s.Env.Elapsed()-start+s.Options.Poll > t {
			return g, changed(ErrHeld, left)
		}
		if err := s.Env.Sleep(ctx, s.Options.Poll); err != nil {
			return g, changed(held(err), left)
		}
	}
}

// errLeft is what an attempt returns that lost but changed something: the call goes on, and is not
// definite any more.
var errLeft = fmt.Errorf("lost the race: %w", ErrChanged)

// attemptError is the outcome of an attempt that changed something and was not granted, for err
// or because it lost a race.
func attemptError(err error) error {
	if err == nil {
		return errLeft
	}
	return changed(err, true)
}

// send sends a command that may take the lock.
func (s Setup) send(ctx context.Context, args ...any) *redis.Cmd {
	cmd, acks := s.sendTo(ctx, s.Client(), args...)
	*s.acks = acks
	return cmd
}

// sendTo sends a command that may take the lock on one Redis, and asks how many replicas have it.
// The WAIT goes in the same pipeline, because Redis answers it for the writes of its own connection
// only. On another connection it would confirm a write it never saw.
func (s Setup) sendTo(ctx context.Context, c redis.UniversalClient, args ...any) (cmd *redis.Cmd,
	acks int) {
	if s.Options.WaitReplicas == 0 {
		return c.Do(ctx, args...), 0
	}
	timeout := s.Options.WaitTimeout.D()
	if timeout == 0 {
		timeout = defaultWait
	}
	p := c.Pipeline()
	cmd = p.Do(ctx, args...)
	wait := p.Do(ctx, "WAIT", s.Options.WaitReplicas, timeout.Milliseconds())
	_, _ = p.Exec(ctx) // each command has its own error
	acks, _ = wait.Int()
	return cmd, acks
}

// eval sends a script that may take the lock. The text goes with every call, as in the documents'
// clients, so no script cache can miss.
func (s Setup) eval(ctx context.Context, script string, keys []string, args ...any) *redis.Cmd {
	all := []any{"EVAL", script, len(keys)}
	for _, k := range keys {
		all = append(all, k)
	}
	return s.send(ctx, append(all, args...)...)
}

// confirm gives a grant back that too few replicas have.
func (s Setup) confirm(ctx context.Context, g Grant, release func(context.Context,
	Grant) error) error {
	if *s.acks >= s.Options.WaitReplicas {
		return nil
	}
	return join(ErrReplicas, ErrChanged, release(ctx, g))
}

// notify tells the listener, if there is one.
func (s Setup) notify(n Notice) {
	if s.Notify != nil {
		s.Notify(n)
	}
}

// fanOut runs f for 0 … n-1 at the same time and returns when all have ended.
func (s Setup) fanOut(ctx context.Context, n int, f func(ctx context.Context, i int)) {
	waits := make([]func(), n)
	for i := range n {
		waits[i] = s.Env.Go(ctx, func(ctx context.Context) { f(ctx, i) })
	}
	for _, wait := range waits {
		wait()
	}
}

// expiry returns the command that gives a key a lease of ttl, and its argument. Like the documents
// it counts in seconds, or in milliseconds if ttl is not a whole number of seconds.
func expiry(ttl time.Duration) (command string, amount int64) {
	if ttl%time.Second == 0 {
		return "expire", int64(ttl / time.Second)
	}
	return "pexpire", ttl.Milliseconds()
}
