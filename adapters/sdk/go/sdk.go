//go:build linux

// Package sdk speaks lockbench's protocol for a lock in Go. It is one file that needs only the
// standard library, on Linux:
//
//	func main() { sdk.Run(open, sdk.Versions("example.org/my/lock")) }
//
//	func open(c sdk.Config) (sdk.Lock, error) { ... } // connect; write no key
//
// Orders are carried out as they come, each in a goroutine of its own.
package sdk

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"syscall"
	"time"
	"unsafe"
)

// Protocol is the version that this file speaks.
const Protocol = 1

// Config is what the harness gives. What is zero (retries: nil) is left as the library has it.
type Config struct {
	Protocol  int            `json:"protocol"`
	Client    int            `json:"client"`
	Seed      int64          `json:"seed"`
	Redis     []string       `json:"redis"`     // one address for each independent Redis
	Sentinels []string       `json:"sentinels"` // instead of Redis, with Master
	Servers   []string       `json:"servers"`   // instead of Redis: host:port of another system
	Master    string         `json:"master"`
	Keys      []string       `json:"keys"`
	TTL       int64          `json:"ttl_ms"`
	Poll      int64          `json:"poll_ms"`
	Timeout   int64          `json:"client_timeout_ms"`
	Retries   *int           `json:"client_retries"`
	Options   map[string]any `json:"options"` // of the variant in adapter.yaml
	// Dial, unless it is nil, is the only way to an address of Redis: the lock runs in lockbench's
	// simulator. A lock that always takes it can be searched by explore --adapter.
	Dial func(ctx context.Context, network, address string) (net.Conn, error) `json:"-"`
}

// Lock is a lock under test. n names an acquisition; with a re-entrant lock n=2 is acquired while
// n=1 is held. An error that is neither Refused nor NotOwner means that the outcome is unknown. The
// context ends with the order stop, and when the client gives up the call (cancel): an Acquire that
// then returns the context's error is taken to hold nothing.
type Lock interface {
	// Acquire waits for so long; 0 is one try, less than 0 as long as the library does by itself.
	Acquire(ctx context.Context, n int, keys []string, wait time.Duration) (Grant, error)
	Release(ctx context.Context, n int) error
}

// Extender is a Lock that can be extended.
type Extender interface {
	Extend(ctx context.Context, n int) (Grant, error)
}

// Sharer is a Lock that has a shared mode, as adapter.yaml declares: such holds may overlap one
// another, and no hold that Acquire granted.
type Sharer interface {
	// AcquireShared waits as Acquire does; Release ends the hold.
	AcquireShared(ctx context.Context, n int, keys []string, wait time.Duration) (Grant, error)
}

// Guard is a Lock that keeps the number that it guards: one for each key, zero at first. If it is
// optimistic, as adapter.yaml declares, Acquire lets all clients in, and what they write is
// checked. If it declares transaction, Write commits the transaction that is the hold.
type Guard interface {
	Read(ctx context.Context, n int) (value int64, err error)
	// Write replaces what Read returned. ErrConflict: another client was first, and nothing was
	// written.
	Write(ctx context.Context, n int, value int64) error
}

// ErrConflict is the error of a Write that surely changed nothing.
var ErrConflict = errors.New("conflict")

// Grant is what the library says of a hold: the end of its validity, a fencing token, or nothing.
// Sent is when the command that was granted was about to leave, which lockbench sees by itself
// where the lock is in Redis.
type Grant struct {
	ValidUntil time.Time
	Token      any
	Sent       time.Time
}

// Refused is the error of an Acquire that surely acquired nothing.
type Refused string

// Why an acquire was refused. Taken: the library said so after replies that left no doubt.
const (
	Taken         Refused = "taken"
	GaveUp        Refused = "gave-up"
	Unreachable   Refused = "unreachable"
	ServerRefused Refused = "server-refused"
	Cancelled     Refused = "cancelled"
)

func (r Refused) Error() string { return string(r) }

// NotOwner is the error of a Release or an Extend of which the library says that the hold was over.
type NotOwner struct{ Err error }

func (e NotOwner) Error() string { return e.Err.Error() }

// Lost says unasked that the library told its holder that hold n is over, and by what.
func Lost(n int, by string) {
	if linked.Lost != nil {
		linked.Lost(n, by)
		return
	}
	say("lost", fields{"n": n, "t": now(), "by": by})
}

// Linked is what takes the place of the protocol where a lock is a part of another program: Open
// gets what makes the lock of a client, Lost what the lock says unasked.
type Linked struct {
	Open func(open func(Config) (Lock, error))
	Lost func(n int, by string)
}

// Link makes Run and Lost speak to l, and is called before them. Stdout is the program's own again.
func Link(l Linked) { linked, os.Stdout = l, out }

var linked Linked

// Versions are the versions of these modules in this program, and Go's own.
func Versions(modules ...string) map[string]string {
	out := map[string]string{"go": strings.TrimPrefix(runtime.Version(), "go")}
	info, _ := debug.ReadBuildInfo()
	for _, m := range modules {
		for _, d := range info.Deps {
			if d.Path == m {
				out[m] = strings.TrimPrefix(d.Version, "v")
			}
		}
	}
	return out
}

type fields map[string]any

type order struct {
	Do   string   `json:"do"`
	N    int      `json:"n"`
	Keys []string `json:"keys"`
	Wait *int64   `json:"wait_ms"`
	Mode string   `json:"mode"` // "shared", or exclusive
	// of a write
	Value int64 `json:"value"`
	Config
}

// Run speaks the protocol until stdin ends, which ends the process.
func Run(open func(Config) (Lock, error), versions map[string]string) {
	if linked.Open != nil {
		linked.Open(open)
		return
	}
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<20)
	lock, err := configure(in, open)
	if err != nil {
		say("broken", fields{"err": text(err)})
		os.Exit(1)
	}
	say("ready", fields{"pid": os.Getpid(), "versions": versions})
	go watch()
	ctx, stop := context.WithCancel(context.Background())
	for in.Scan() {
		o, err := parse(in.Bytes())
		switch {
		case err != nil:
			say("broken", fields{"err": text(err)})
		case o.Do == "touch":
			say("touched", fields{"n": o.N, "t": now()})
		case o.Do == "stop":
			stop()
		case o.Do == "cancel":
			if end, ok := calls.Load(o.N); ok {
				end.(context.CancelFunc)()
			}
		case done[o.Do] == "":
			say("unsupported", fields{"op": o.Do})
		default:
			call, end := context.WithCancel(ctx)
			calls.Store(o.N, end)
			go func() {
				carryOut(call, lock, o)
				if o.Do != "acquire" { // a lock may live as long as the context of its Acquire
					end()
				}
			}()
		}
	}
	os.Exit(0) // the harness is gone: an acquire under way ends, too
}

func parse(line []byte) (o order, err error) {
	err = json.Unmarshal(line, &o)
	o.Config.Keys = o.Keys // the shallower of two fields of one name takes the value
	return o, err
}

func configure(in *bufio.Scanner, open func(Config) (Lock, error)) (Lock, error) {
	if !in.Scan() {
		os.Exit(0)
	}
	o, err := parse(in.Bytes())
	if err != nil {
		return nil, err
	}
	if o.Protocol != Protocol {
		return nil, fmt.Errorf("this adapter speaks protocol %d, not %d", Protocol, o.Protocol)
	}
	return open(o.Config)
}

func carryOut(ctx context.Context, lock Lock, o order) {
	say("begun", fields{"n": o.N, "op": o.Do, "t": now()})
	defer calls.Delete(o.N)
	answer := fields{"n": o.N}
	is := done[o.Do]
	var grant Grant
	err := errors.New("this lock has no " + o.Do)
	extender, extends := lock.(Extender)
	guard, guards := lock.(Guard)
	switch {
	case o.Do != "acquire" && !holds(o):
		err = fmt.Errorf("nothing is held under %d", o.N)
	case o.Do == "acquire":
		grant, err = acquire(ctx, lock, o)
	case o.Do == "release":
		err = lock.Release(ctx, o.N)
	case o.Do == "extend" && extends:
		grant, err = extender.Extend(ctx, o.N)
	case o.Do == "read" && guards:
		answer["value"], err = guard.Read(ctx, o.N)
	case o.Do == "write" && guards:
		err = guard.Write(ctx, o.N, o.Value)
	}
	if o.Do == "acquire" && ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		err = Cancelled
	}
	t := now()
	answer["t"] = t
	var refused Refused
	var notOwner NotOwner
	switch {
	case errors.As(err, &refused):
		is, answer["why"] = "refused", string(refused)
	case errors.Is(err, ErrConflict):
		is = "conflict"
	case errors.As(err, &notOwner):
		is, answer["err"] = "not_owner", text(notOwner.Err)
	case err != nil:
		is, answer["err"] = "failed", text(err)
	default:
		grant.describe(answer, t)
		if o.Do == "acquire" {
			held.Store(o.N, true)
		}
	}
	say(is, answer)
}

func acquire(ctx context.Context, lock Lock, o order) (Grant, error) {
	wait := time.Duration(-1)
	if o.Wait != nil {
		wait = time.Duration(*o.Wait) * time.Millisecond
	}
	if o.Mode != "shared" {
		return lock.Acquire(ctx, o.N, o.Keys, wait)
	}
	sharer, can := lock.(Sharer)
	if !can {
		return Grant{}, errors.New("this lock has no shared mode")
	}
	return sharer.AcquireShared(ctx, o.N, o.Keys, wait)
}

var (
	held  sync.Map // the n of all holds
	calls sync.Map // by n, what gives up the call under way
)

// holds asks whether o.N is held, and forgets it when it is released.
func holds(o order) bool {
	if o.Do == "release" {
		_, ok := held.LoadAndDelete(o.N)
		return ok
	}
	_, ok := held.Load(o.N)
	return ok
}

var done = map[string]string{"acquire": "acquired", "release": "released", "extend": "extended",
	"read": "read", "write": "written"}

func (g Grant) describe(answer fields, t int64) {
	if !g.ValidUntil.IsZero() {
		answer["valid_until"] = t + int64(time.Until(g.ValidUntil))
	}
	if !g.Sent.IsZero() {
		answer["sent"] = t - int64(time.Since(g.Sent))
	}
	if g.Token != nil {
		answer["token"] = g.Token
	}
}

// watch reports when the process did not run.
func watch() {
	const tick, late = 10 * time.Millisecond, 20 * time.Millisecond
	for last := now(); ; {
		time.Sleep(tick)
		t := now()
		if gap := t - last - int64(tick); gap > int64(late) {
			say("gap", fields{"t": t, "ns": gap})
		}
		last = t
	}
}

// now is CLOCK_MONOTONIC in nanoseconds, which all processes of a machine share.
func now() int64 {
	const clockMonotonic = 1
	var t syscall.Timespec
	syscall.Syscall(syscall.SYS_CLOCK_GETTIME, clockMonotonic, uintptr(unsafe.Pointer(&t)), 0)
	return t.Nano()
}

// Only answers go to stdout: what a library prints goes to stderr.
var (
	out    = os.Stdout
	saying sync.Mutex
)

func init() { os.Stdout = os.Stderr }

func say(is string, f fields) {
	f["is"] = is
	line, err := json.Marshal(f)
	if err != nil {
		line, _ = json.Marshal(fields{"is": "broken", "err": text(err)})
	}
	saying.Lock()
	defer saying.Unlock()
	if _, err := out.Write(append(line, '\n')); err != nil {
		os.Exit(0)
	}
}

func text(err error) string {
	s := err.Error()
	if class := fmt.Sprintf("%T", err); !strings.HasPrefix(class, "*errors.") {
		s = class + ": " + s
	}
	return s[:min(len(s), 300)]
}
