package adapters

import (
	"cmp"
	"fmt"
	"runtime"
	"sync"

	"github.com/lockbench/lockbench/internal/base/strictyaml"
)

// Use is an adapter with one of its variants.
type Use struct {
	Variant  string
	OwnLease bool // the library uses its own lease
	System   string
	Topology string
	Key      string
	Declares Declares
	Defaults Defaults
	Tells    []string
	Traits   []string
	Options  map[string]Option
	Commands map[string]string // that Redis must have, with the first Redis version that has each
}

// uses caches the settings of variants of lockbench's own adapters by the hash of the adapter and
// the name of the variant. Other adapters are few, and linked locks all have the same hash.
var uses sync.Map

// Use returns the settings of the variant with this name, or of the default variant if it is empty.
// The caller must not change them.
func (a Adapter) Use(variant string) (Use, error) {
	if !a.embedded {
		return a.Manifest.Use(variant)
	}
	once, _ := uses.LoadOrStore([2]string{a.Hash, variant}, sync.OnceValues(func() (Use, error) {
		return a.Manifest.Use(variant)
	}))
	return once.(func() (Use, error))()
}

// Use returns the settings of the variant with this name, or of the default variant if it is empty.
func (m Manifest) Use(variant string) (u Use, err error) {
	v, err := m.Variant(variant)
	if err != nil {
		return u, err
	}
	u = Use{Variant: v.Name, OwnLease: v.OwnLease(), Options: v.Options, Declares: m.Declares,
		Defaults: m.Defaults, System: cmp.Or(v.System, m.System),
		Topology: cmp.Or(v.Topology, m.Topology), Key: cmp.Or(v.Key, m.Key),
		Tells: m.Tells, Traits: m.Traits, Commands: v.Commands}
	if v.Tells != nil {
		u.Tells = v.Tells
	}
	if v.Traits != nil {
		u.Traits = v.Traits
	}
	if err := decode(v.Declares, &u.Declares); err != nil {
		return u, err
	}
	if err := decode(v.Defaults, &u.Defaults); err != nil {
		return u, err
	}
	if u.OwnLease && u.Defaults.TTL == 0 {
		u.Declares.Lease = false // "ttl: none"
	}
	return u, nil
}

// decode decodes a value, if there is one.
func decode[T any](v strictyaml.Value, into *T) error {
	if v == (strictyaml.Value{}) {
		return nil
	}
	return v.Decode(into)
}

// Way is a way in which the simulator runs the lock of an adapter.
type Way int

// The ways of the simulator.
const (
	Linked  Way = iota + 1 // a library in Go is built into lockbench
	Stepped                // a program in another language runs in virtual time
)

// Simulated returns how the simulator runs a variant of an adapter. If it cannot, Simulated returns
// an error of one line that says what to do instead.
func (a Adapter) Simulated(variant string) (Way, error) {
	u, err := a.Use(variant)
	if err != nil {
		return 0, err
	}
	why := ""
	switch {
	case a.System != systems[0]:
		why = fmt.Sprintf("it has Redis, and no %s", a.System)
	case a.Unsimulated != "":
		why = a.Unsimulated
	case u.Declares.Shared:
		why = fmt.Sprintf("shared holds are not simulated, and the variant %s has them", u.Variant)
	case runtime.GOOS != "linux":
		why = "this is not Linux"
	case a.Language != "go":
		return Stepped, nil
	default:
		_, err := a.module()
		if err == nil {
			return Linked, nil
		}
		why = err.Error()
	}
	return 0, fmt.Errorf("the simulator cannot run the adapter %s: %s; use run or matrix with "+
		"--adapter, which aim the same faults on real servers", a.Name, why)
}
