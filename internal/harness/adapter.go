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
	Dir      string            `json:"dir,omitempty"` // a folder of the user's; "": lockbench's own
	Library  string            `json:"library,omitempty"`
	Version  string            `json:"version,omitempty"` // of the library
	Hash     string            `json:"hash"`              // of its files
	System   string            `json:"system,omitempty"`  // of the servers; "": Redis
	Topology string            `json:"topology"`
	Key      string            `json:"key,omitempty"` // how the library names the key {key}
	Clock    string            `json:"clock"`         // what moves its wall clock: shim, overlay or none
	Declares adapters.Declares `json:"declares"`
	// the longest pause between two tries, the library's own or as it was told; empty: not known
	Poll    history.Duration           `json:"poll,omitempty"`
	Options map[string]adapters.Option `json:"options,omitempty"` // of the variant
	// that Redis must have, and which Redis has each first
	Commands map[string]string `json:"commands,omitempty"`
	// which settings the library is told; it has all others of itself
	Told []string `json:"told"`
}

// The settings that an adapter may be told.
const (
	toldTTL     = "ttl"
	toldPoll    = "poll"
	toldTimeout = "client-timeout"
	toldRetries = "client-retries"
)

// clockNone says that there is no way to move a library's wall clock.
const clockNone = "none"

// assumedPoll is what scenarios take for a library's pause between tries if it is not known.
const assumedPoll = 100 * time.Millisecond

// lock is the row of the plan's lock: of the table of locks, or made from what the adapter says.
func (p Plan) lock() (impls.Entry, error) {
	a := p.Adapter
	if a == nil {
		return impls.Find(p.Impl)
	}
	e := impls.Entry{Name: p.Impl, Document: strings.TrimSpace(a.Library + " " + a.Version),
		Topology: impls.Topology(a.Topology), Lease: a.Declares.Lease, Validity: a.Declares.Validity,
		Loss: a.Declares.Loss, Fencing: a.Declares.Fencing, Reentrant: a.Declares.Reentrant,
		Watchdog: a.Declares.Watchdog, Extends: a.Declares.Extends, Multi: a.Declares.Multi,
		Optimistic: a.Declares.Optimistic}
	if p.Variant != "" {
		e.Variants = []string{p.Variant}
	}
	return e, nil
}

// LockOf is the row of the lock that a user asks for, by its name or by that of its adapter.
func LockOf(o RunOptions) (impls.Entry, error) {
	if o.Adapter == "" && o.Linked == nil {
		return impls.Find(o.Impl)
	}
	var p Plan
	if err := p.adapt(o); err != nil {
		return impls.Entry{}, err
	}
	return p.lock()
}

// adapt puts what the plan must know of its adapter into it.
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

// systemOf is the system of an adapter's servers, as a plan has it.
func systemOf(u adapters.Use) string {
	if u.System == nemesis.Redis {
		return ""
	}
	return u.System
}

// System is that of the plan's servers; "": Redis.
func (p Plan) System() string {
	if p.Adapter == nil {
		return ""
	}
	return p.Adapter.System
}

// unseen are the properties that the commands of clients decide, which no tap sees with another
// system: what is unknown of them decides no run.
var unseen = []string{history.LeaseExclusion, history.OwnerRelease}

// Unseen returns those properties. The caller may keep and change the slice.
func Unseen() []string { return slices.Clone(unseen) }

// manifestOf is what is known of the lock of an adapter, or of one that is linked.
func manifestOf(o RunOptions) (adapters.Adapter, error) {
	if o.Linked == nil {
		return adapters.Find(o.Adapter)
	}
	return adapters.Adapter{Manifest: *o.Linked, Hash: linkedHash}, nil
}

// linkedHash stands for the files of a linked lock, which are those of the program.
const linkedHash = "linked"

// foreign refuses settings that no adapter is told.
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
		{toldTimeout, o.ClientTimeout > 0}, {toldRetries, o.ClientRetries > 0}} {
		if s.told {
			a.Told = append(a.Told, s.name)
		}
	}
}

// adaptedTimes is times for an adapter: nothing of the library's own is scaled.
func (p *Plan) adaptedTimes(o RunOptions, u adapters.Use) {
	ttl := or(o.TTL, defaultTTL)
	if u.OwnLease {
		ttl = cmp.Or(o.TTL, u.Defaults.TTL.D(), defaultTTL)
	}
	p.TTL = history.Duration(ttl)
	p.Poll = or(p.Adapter.Poll, history.Duration(assumedPoll))
	p.Hold = history.Duration(or(o.Hold, tidy(hold(ttl, p.Poll.D()))))
	p.AcquireTimeout = history.Duration(or(o.AcquireTimeout, max(defaultAcquire, 2*ttl)))
}

// ifTold returns a setting if the plan's adapter is told it, and else zero. Own locks are told all.
func ifTold[T any](p Plan, setting string, value T) T {
	if p.Adapter != nil && !slices.Contains(p.Adapter.Told, setting) {
		var zero T
		return zero
	}
	return value
}

// check says in one line what is wrong with the adapter of a plan.
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

// keyNames are the Redis keys of the plan's locks, by number. A prefix that the environment puts
// before a key stands inside the name that a library makes of it; before others it is known.
func (p Plan) keyNames(prefix string) []string {
	names := p.Worker().Keys
	if p.Adapter != nil && p.Adapter.Key != "" {
		for i, name := range names {
			names[i] = strings.ReplaceAll(p.Adapter.Key, "{key}", prefix+name)
		}
	}
	return names
}
