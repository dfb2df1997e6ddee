package harness

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/lockbench/lockbench/adapters"
	"github.com/lockbench/lockbench/impls"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/nemesis"
)

// Adapter is what a plan knows of a lock that an adapter drives: with it a run can be judged and
// repeated without the adapter's files, and it shows if they have changed since.
type Adapter struct {
	Name     string            `json:"name"`
	Dir      string            `json:"dir,omitempty"` // the user's folder, or "" for lockbench's
	Library  string            `json:"library,omitempty"`
	Version  string            `json:"version,omitempty"` // of the library
	Hash     string            `json:"hash"`              // of its files
	System   string            `json:"system,omitempty"`  // of the servers, or "" for Redis
	Topology string            `json:"topology"`
	Key      string            `json:"key,omitempty"` // how the library names the key {key}
	Clock    string            `json:"clock"`         // moves its wall clock: shim, overlay or none
	Declares adapters.Declares `json:"declares"`
	// the longest pause between two tries, the library's own or as it was told; zero if unknown
	Poll    history.Duration           `json:"poll,omitempty"`
	Options map[string]adapters.Option `json:"options,omitempty"` // of the variant
	// commands that Redis must have, each with the version of Redis that brought it
	Commands map[string]string `json:"commands,omitempty"`
	// settings that the library is told; it uses its own defaults for the others
	Told []string `json:"told"`
}

// The settings that an adapter may be told.
const (
	toldTTL     = "ttl"
	toldPoll    = "poll"
	toldTimeout = "client-timeout"
	toldRetries = "client-retries"
)

// clockNone says that nothing can move the wall clock of a library.
const clockNone = "none"

// assumedPoll is the pause between tries that scenarios assume if a library's own is unknown.
const assumedPoll = 100 * time.Millisecond

// lock returns the row of the plan's lock from the table of locks, or makes one from the adapter.
func (p Plan) lock() (impls.Entry, error) {
	a := p.Adapter
	if a == nil {
		return findLock(p.Impl)
	}
	e := impls.Entry{Name: p.Impl, Document: strings.TrimSpace(a.Library + " " + a.Version),
		Topology: impls.Topology(a.Topology), Lease: a.Declares.Lease, Validity: a.Declares.Validity,
		Loss: a.Declares.Loss, Fencing: a.Declares.Fencing, Reentrant: a.Declares.Reentrant,
		Watchdog: a.Declares.Watchdog, Extends: a.Declares.Extends, Multi: a.Declares.Multi,
		Optimistic: a.Declares.Optimistic, Transaction: a.Declares.Transaction}
	if p.Variant != "" {
		e.Variants = []string{p.Variant}
	}
	return e, nil
}

// IsLibrary reports whether an adapter of lockbench has a name.
func IsLibrary(name string) bool { return slices.Contains(adapters.Names(), name) }

// findLock returns the row of a lock. The error names the adapter that has the name instead.
func findLock(name string) (impls.Entry, error) {
	e, err := impls.Find(name)
	if err != nil && IsLibrary(name) {
		err = fmt.Errorf("%q is an adapter: --adapter %[1]s", name)
	}
	return e, err
}

// LockOf returns the row of the lock that a user asks for by its name or by its adapter.
func LockOf(o RunOptions) (impls.Entry, error) {
	if o.Adapter == "" && o.Linked == nil {
		return findLock(o.Impl)
	}
	var p Plan
	if err := p.adapt(o); err != nil {
		return impls.Entry{}, err
	}
	return p.lock()
}

// adapt copies into the plan everything that it must know of its adapter.
func (p *Plan) adapt(o RunOptions) error {
	if err := foreign(o); err != nil {
		return err
	}
	a, err := manifestOf(o)
	if err != nil {
		return err
	}
	u, err := a.Use(o.Variant)
	if err != nil {
		return err
	}
	p.Impl, p.Variant = a.Name, u.Variant
	if _, err := impls.Find(a.Name); err == nil {
		p.Impl += "-" + a.Version // a library is another lock than lockbench's own port of it
	}
	p.Adapter = &Adapter{Name: a.Name, Dir: a.Dir, Library: a.Library, Version: a.Version,
		Hash: a.Hash, System: systemOf(u), Topology: u.Topology, Key: u.Key, Clock: a.Clock,
		Declares: u.Declares, Options: u.Options, Commands: u.Commands,
		Poll: history.Duration(cmp.Or(o.Poll, u.Defaults.Poll.D()))}
	p.Adapter.tell(o, u)
	p.adaptedTimes(o, u)
	return nil
}

// systemOf returns the system of an adapter's servers as a plan writes it.
func systemOf(u adapters.Use) string {
	if u.System == nemesis.Redis {
		return ""
	}
	return u.System
}

// System returns the name of the plan's database system, or "" for Redis.
func (p Plan) System() string {
	if p.Adapter == nil {
		return ""
	}
	return p.Adapter.System
}

// unseen are the properties that need the commands of clients. No tap sees commands of systems
// other than Redis, so an unknown result of these properties does not decide such a run.
var unseen = []string{history.LeaseExclusion, history.OwnerRelease}

// Unseen returns those properties. The caller may keep and change the slice.
func Unseen() []string { return slices.Clone(unseen) }

// manifestOf returns the manifest of an adapter or of a linked lock.
func manifestOf(o RunOptions) (adapters.Adapter, error) {
	if o.Linked == nil {
		a, err := adapters.Find(o.Adapter)
		if _, unknown := impls.Find(o.Adapter); err != nil && unknown == nil {
			err = fmt.Errorf("%q is one of lockbench's own locks: --impl %[1]s", o.Adapter)
		}
		return a, err
	}
	return adapters.Adapter{Manifest: *o.Linked, Hash: linkedHash}, nil
}

// Linked reports whether the lock is a part of the program that runs it.
func (a *Adapter) Linked() bool { return a != nil && a.Hash == linkedHash }

// linkedHash replaces the hash of files for a linked lock: it is part of this program.
const linkedHash = "linked"

// foreign returns an error if the user gives an adapter settings that only own locks have.
func foreign(o RunOptions) error {
	given := map[string]bool{"--impl": o.Impl != "", "--watchdog=false": o.NoWatchdog,
		"--ttl documented": o.Documented}
	for _, setting := range o.Settings.Table() {
		given["--"+setting.Name] = setting.IsSet()
	}
	for flag, set := range given {
		if set {
			return fmt.Errorf("%s is for lockbench's own locks; with --adapter omit it (a --variant "+
				"of the adapter may be what you want)", flag)
		}
	}
	return nil
}

// tell decides what the library is told: the lease, unless the variant leaves it, and what the user
// asked for.
func (a *Adapter) tell(o RunOptions, u adapters.Use) {
	a.Told = []string{}
	for _, s := range []struct {
		name string
		told bool
	}{{toldTTL, !u.OwnLease || o.TTL > 0}, {toldPoll, o.Poll > 0},
		{toldTimeout, o.ClientTimeout > 0}, {toldRetries, o.ClientRetries != nil}} {
		if s.told {
			a.Told = append(a.Told, s.name)
		}
	}
}

// adaptedTimes does for an adapter what times does for an own lock. It scales no time of the
// library.
func (p *Plan) adaptedTimes(o RunOptions, u adapters.Use) {
	ttl := cmp.Or(o.TTL, defaultTTL)
	if u.OwnLease {
		ttl = cmp.Or(o.TTL, u.Defaults.TTL.D(), defaultTTL)
	}
	p.TTL = history.Duration(ttl)
	p.Poll = cmp.Or(p.Adapter.Poll, history.Duration(assumedPoll))
	p.Hold = history.Duration(cmp.Or(o.Hold, p.usualHold()))
	p.AcquireTimeout = history.Duration(cmp.Or(o.AcquireTimeout, max(defaultAcquire, 2*ttl)))
}

// ifTold returns the value of a setting if the plan's adapter is told it, otherwise zero. Own locks
// are told all settings.
func ifTold[T any](p Plan, setting string, value T) T {
	if p.Adapter != nil && !slices.Contains(p.Adapter.Told, setting) {
		var zero T
		return zero
	}
	return value
}

// answerTime returns how long a client waits for the answer to one command, with all retries, or
// zero if the plan does not say.
func (p *Plan) answerTime() history.Duration {
	once := ifTold(*p, toldTimeout, p.ClientTimeout)
	return ifTold(*p, toldRetries, once*history.Duration(1+p.ClientRetries))
}

// check returns an error of one line if the adapter of a plan is invalid.
func (a *Adapter) check() error {
	switch {
	case a == nil:
		return nil
	case a.Topology != string(impls.OneServer) && a.Topology != string(impls.Independent):
		return fmt.Errorf("adapter.topology is %q; it may be %s or %s", a.Topology, impls.OneServer,
			impls.Independent)
	case a.Hash == "" || a.Name == "":
		return fmt.Errorf("adapter.name or adapter.hash is missing")
	case a.Poll < 0:
		return fmt.Errorf("adapter.poll is %v; it must not be below zero", a.Poll)
	}
	return nil
}

// keyNames returns the Redis keys of the plan's locks, by number. A library builds its name around
// a key that already has the environment's prefix, so the prefix goes inside that name. Names of
// other locks are returned without the prefix.
func (p Plan) keyNames(prefix string) []string {
	names := p.Worker().Keys
	if p.Adapter != nil && p.Adapter.Key != "" {
		for i, name := range names {
			names[i] = strings.ReplaceAll(p.Adapter.Key, "{key}", prefix+name)
		}
	}
	return names
}
