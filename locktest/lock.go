// Package locktest runs a distributed lock on Redis through lockbench's simulator, from a test in
// the lock's own repository: real clients of go-redis, in virtual time, on a simulated Redis, with
// faults. It searches for a run that breaks the lock, makes the run small, and tells its story.
//
//	func TestMyLock(t *testing.T) {
//		locktest.Explore(t, locktest.Lock{New: func(c *locktest.Client) (locktest.Acquire, error) {
//			lock := mylock.New(c.Redis(), c.Key, c.TTL)
//			return func(ctx context.Context) (locktest.Hold, error) {
//				err := lock.TryLock(ctx)
//				return locktest.Hold{Release: lock.Unlock}, err
//			}, nil
//		}, Taken: mylock.ErrTaken}, locktest.Options{})
//	}
//
// Any client of Redis can be used that speaks RESP2 and takes a dialer. The lock may use
// goroutines, contexts, timers and time freely; they are all virtual. It must reach Redis through
// Client only, and its goroutines must end when Client.Context does.
//
// The same seed gives the same run if the lock draws its random numbers from crypto/rand or from
// the top level of math/rand, because lockbench seeds both. It cannot seed math/rand/v2, nor the
// choice of a select with two ready cases. If a run depends on these, the report says that it could
// not be repeated.
//
// docs/locktest.md says more.
package locktest

import (
	"context"
	"errors"
	"net"
	"time"

	"github.com/lockbench/lockbench/workloads"
	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
)

// Lock is the lock under test. Only New is required.
type Lock struct {
	// New makes the lock of one client, for one run. Explore calls it for each client of each run,
	// thousands of times. It may connect, but must not change a key. An error ends the test.
	New func(c *Client) (Acquire, error)
	// Name is for the story and the file of a counterexample. Default: the name of the test.
	Name string
	// TTL is the lease that the lock takes, as New passes it on from Client.TTL. Default: 1s. A lease
	// that a SET names with PX or EX is believed instead of it. NoLease says that the lock has none.
	TTL time.Duration
	// Poll is the longest pause between two tries of a waiting client. If Acquire returns Taken,
	// Explore makes the pauses, otherwise the lock. Default: 100ms.
	Poll time.Duration
	// Key is the Redis key in which the lock keeps Client.Key, with {key} in place of the name:
	// "locks/{key}". A prefix that ends with a colon, and braces around all of it, need no Key.
	// Default: "{key}".
	Key string
	// Servers is the number of independent Redis servers that the lock uses, as Redlock does. Default:
	// 1.
	Servers int
	// Taken is the error of an Acquire that failed because another client has the lock. NotOwner is
	// the error of a Release that came after the hold was over. ErrTaken and ErrNotOwner always have
	// these meanings. Errors are compared by errors.Is. After any other error, the effect of the call
	// is unknown.
	Taken, NotOwner error
	// Renews says that the lock prolongs its lease while it is held.
	Renews bool
	// MinimumHold is the least time that the lock keeps its key, from the grant on, even after a
	// release. Default: it frees the key at once.
	MinimumHold time.Duration
	// Validity says that each Hold has a ValidUntil, Fencing that it has a Token.
	Validity, Fencing bool
}

// NoLease, as the TTL of a Lock, means that a hold lasts until its release.
const NoLease = time.Duration(-1)

// Acquire asks for the lock. It tries once, or waits until ctx ends. If another client has the
// lock, it returns ErrTaken or the lock's own error with that meaning; Explore then calls it again
// after Poll. Ctx does not end while the lock is held.
type Acquire func(ctx context.Context) (Hold, error)

// Hold is a lock that is held.
type Hold struct {
	// Release releases the lock. It returns ErrNotOwner, or the lock's own error with that meaning, if
	// the hold was already over.
	Release func(ctx context.Context) error
	// ValidUntil is the end of the hold that the lock promises, or zero if it promises none.
	ValidUntil time.Time
	// Token is the fencing token of the hold, which grows from hold to hold, or zero.
	Token int64
}

var (
	// ErrTaken reports that another client has the lock, and that the caller certainly has not.
	ErrTaken = errors.New("locktest: another client has the lock")
	// ErrNotOwner reports that the caller no longer had the lock, and that nothing was released.
	ErrNotOwner = errors.New("locktest: the lock was not the caller's")
)

// Client is a client of the lock in one run. It acts like a process of its own. It must not be used
// after its run. Several goroutines may call its methods.
type Client struct {
	// Context ends when the client's process does: when it is killed, and at the end of the run.
	Context context.Context
	// Number counts the clients of the run, from 0.
	Number int
	// Key is the name of the lock.
	Key string
	// TTL and Poll are copied from the Lock, with their defaults; NoLease becomes 0. A lock with its
	// own waiting loop should pause for Poll between two tries: longer pauses make shorter stories.
	TTL, Poll time.Duration

	link workloads.LinkedClient
	lock *taker
}

// Servers returns the number of independent Redis servers.
func (c *Client) Servers() int { return c.link.Servers }

// Redis returns a new client of the first server. All clients are closed at the end of the run.
func (c *Client) Redis() *redis.Client { return c.Connect(0) }

// Connect returns a client of a server, counted from 0. See Redis.
func (c *Client) Connect(server int) *redis.Client {
	r := redis.NewClient(c.Options(server))
	c.lock.add(r)
	return r
}

// Options returns the options that Connect uses: the defaults of go-redis and the settings that the
// simulator needs. The caller may change them for a client of its own, but must keep Dialer,
// Protocol and PoolSize. Retries must not wait for random times.
func (c *Client) Options(server int) *redis.Options {
	return &redis.Options{
		Addr: c.Address(server), Dialer: c.Dial, Protocol: 2, DisableIdentity: true,
		MinRetryBackoff: -1, MaxRetryBackoff: -1, PoolSize: poolSize,
		MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
	}
}

// poolSize is larger than the number of connections of a lock's client, because an exhausted pool
// waits with timers that outlive the run.
const poolSize = 64

// Address returns the address of a server for Dial. Servers are counted from 0.
func (c *Client) Address(server int) string { return c.link.Address(server) }

// Dial connects to an address that Address returned, and to nothing else. Clients that Redis and
// Connect do not make use it as their dialer.
func (c *Client) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	return c.link.Dial(ctx, network, address)
}

// ReportLost reports that the lock has told its holder, unasked, that the hold is over. The text by
// names the way, such as a callback. It is used only to describe a violation.
func (c *Client) ReportLost(by string) { c.link.Lost(c.lock.current(), by) }
