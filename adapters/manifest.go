// Package adapters holds the lock libraries that lockbench can drive in their released form. Each
// has a folder with its source, its lock file and adapter.yaml. The folder sdk has a small file for
// each language that speaks the protocol of docs/formats.md. A user's folder works in the same way.
package adapters

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/lockbench/lockbench/internal/base/strictyaml"
	"github.com/lockbench/lockbench/internal/base/units"
)

// ManifestName is the file that describes an adapter.
const ManifestName = "adapter.yaml"

// Manifest is adapter.yaml.
type Manifest struct {
	Name     string `yaml:"name"`
	Line     string `yaml:"line"` // a description of one line
	Language string `yaml:"language"`
	Library  string `yaml:"library"` // the name of its package
	Version  string `yaml:"version"` // of the library
	Document string `yaml:"document"`
	// the source document that shows the lock, such as D000; empty for a library that people use
	Posted string `yaml:"posted"`
	// it is a recipe that lockbench wrote on top of a client library, not a library's own lock
	Recipe bool `yaml:"recipe"`
	// files and folders that are copied together with adapter.yaml; if empty, all
	Sources []string `yaml:"sources"`
	// programs of the toolchain, for setup and run
	Needs []string `yaml:"needs"`
	// commands that setup carries out once, in the folder with the source
	Setup [][]string        `yaml:"setup"`
	Run   []string          `yaml:"run"`
	Env   map[string]string `yaml:"env"` // of both
	// of the servers: redis, or one of nemesis.Systems
	System string `yaml:"system"`
	// single or independent
	Topology string `yaml:"topology"`
	// the way to move the wall clock of its process: shim, overlay or none
	Clock    string   `yaml:"clock"`
	Key      string   `yaml:"key"` // the library's name for the key {key}; if empty, unchanged
	Declares Declares `yaml:"declares"`
	Defaults Defaults `yaml:"defaults"` // the library's own
	Tells    []string `yaml:"tells"`    // how a holder learns that its hold is over
	// the reason why the simulator cannot run its lock, if any
	Unsimulated string `yaml:"unsimulated"`
	// the properties that make it a target, as impls.Trait names them
	Traits   []string  `yaml:"traits"`
	Variants []Variant `yaml:"variants"` // the first is the default
}

// Declares lists a library's promises and abilities.
type Declares struct {
	Lease     bool `yaml:"lease" json:"lease,omitempty"`
	Validity  bool `yaml:"validity" json:"validity,omitempty"`
	Loss      bool `yaml:"loss" json:"loss,omitempty"`
	Fencing   bool `yaml:"fencing" json:"fencing,omitempty"`
	Reentrant bool `yaml:"reentrant" json:"reentrant,omitempty"`
	Extends   bool `yaml:"extends" json:"extends,omitempty"`
	Watchdog  bool `yaml:"watchdog" json:"watchdog,omitempty"`
	Multi     bool `yaml:"multi" json:"multi,omitempty"` // it takes several keys at once
	// it also has a shared mode: half of the holds are shared
	Shared bool `yaml:"shared" json:"shared,omitempty"`
	// a call of it can be given up half-way: the order cancel
	Cancels bool `yaml:"cancels" json:"cancels,omitempty"`
	// it lets all clients in, and reports for each write whether another was first
	Optimistic bool `yaml:"optimistic" json:"optimistic,omitempty"`
	// it begins a transaction of a database for each hold, and reads and writes in it
	Transaction bool `yaml:"transaction" json:"transaction,omitempty"`
	// the longest time for which a waiting client rests before it tries again by itself, unless that
	// is the default poll; a moment if the lock wakes the client
	Pause Duration `yaml:"pause" json:"pause,omitempty"`
	// a new leader of the servers restarts the full time of every lease
	LeaderRenews bool `yaml:"leader_renews" json:"leader_renews,omitempty"`
	// how long the lock keeps the place of a dead waiting client
	DeadWaiters Duration `yaml:"dead_waiters" json:"dead_waiters,omitempty"`
	// how long the lock keeps its key at least, from the grant on, even after a release
	MinimumHold Duration `yaml:"minimum_hold" json:"minimum_hold,omitempty"`
	// the lock prefers some of its waiting clients to others
	Preference bool `yaml:"preference" json:"preference,omitempty"`
	// an acquire ignores how long it may wait, and goes on until it is granted
	Endless bool `yaml:"endless" json:"endless,omitempty"`
}

// Duration is a time that JSON has as a text. Older plans have it in ns.
type Duration time.Duration

// MarshalText writes the time, such as "20ms".
func (d Duration) MarshalText() ([]byte, error) { return []byte(time.Duration(d).String()), nil }

// UnmarshalJSON reads a text or a number of ns.
func (d *Duration) UnmarshalJSON(b []byte) error {
	if json.Unmarshal(b, (*time.Duration)(d)) == nil {
		return nil
	}
	var text string
	if err := json.Unmarshal(b, &text); err != nil {
		return err
	}
	read, err := time.ParseDuration(text)
	*d = Duration(read)
	return err
}

// Defaults are a library's own times.
type Defaults struct {
	TTL     OwnTime `yaml:"ttl"`     // the lease
	Poll    OwnTime `yaml:"poll"`    // the longest pause between two tries
	Timeout OwnTime `yaml:"timeout"` // dial, read and write of its Redis client
}

// OwnTime is a time of a library. It is zero if the library has no such time, "none", or only takes
// it from its user, "given".
type OwnTime time.Duration

// UnmarshalText reads "none", "given" or a time.
func (t *OwnTime) UnmarshalText(text []byte) error {
	*t = 0
	if s := string(text); s == "none" || s == "given" {
		return nil
	}
	d, err := time.ParseDuration(string(text))
	if err != nil || d <= 0 {
		return fmt.Errorf(`%q is not a time above zero, such as 90s, nor "none" or "given"`, text)
	}
	*t = OwnTime(d)
	return nil
}

// D returns the time in the type of package time.
func (t OwnTime) D() time.Duration { return time.Duration(t) }

// Variant is a way to use a library.
type Variant struct {
	Name    string            `yaml:"name"`
	Line    string            `yaml:"line"`
	Library string            `yaml:"library"` // with its version, if it is not the manifest's
	Options map[string]Option `yaml:"options"`
	// the differences from the declarations of the manifest
	Declares strictyaml.Value `yaml:"declares"`
	Defaults strictyaml.Value `yaml:"defaults"`
	System   string           `yaml:"system"`
	Topology string           `yaml:"topology"`
	Key      string           `yaml:"key"`
	Tells    []string         `yaml:"tells"`
	Traits   []string         `yaml:"traits"`
	// commands that some servers lack, with the first version that has each: DELIFEQ: Valkey 9.0
	Commands map[string]string `yaml:"commands"`
}

// OwnLease reports whether the variant leaves all settings, including the lease, to the library.
func (v Variant) OwnLease() bool { return v.Options["defaults"].value == true }

// Option is a boolean, a number or a text in the config of an adapter.
type Option struct{ value any }

// UnmarshalText reads a scalar of a file.
func (o *Option) UnmarshalText(text []byte) error {
	s := string(text)
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		o.value = n
	} else if f, err := strconv.ParseFloat(s, 64); err == nil && !math.IsNaN(f) && !math.IsInf(f, 0) {
		o.value = f
	} else if s == "true" || s == "false" {
		o.value = s == "true"
	} else {
		o.value = s
	}
	return nil
}

// MarshalJSON writes the plain value.
func (o Option) MarshalJSON() ([]byte, error) { return json.Marshal(o.value) }

// UnmarshalJSON reads the output of MarshalJSON.
func (o *Option) UnmarshalJSON(text []byte) error { return json.Unmarshal(text, &o.value) }

// nameRule says what properName accepts.
const nameRule = "a name may have only small letters, digits, - and ., starts with a letter or a " +
	"digit, and has at most 61 characters"

// The valid values of a manifest's fields.
var (
	properName = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]{0,60}$`)
	systems    = []string{"redis", "etcd", "zookeeper", "postgres", "postgres-synchronous",
		"pgbouncer", "mariadb"}
	topologies = []string{"single", "independent"}
	clocks     = []string{"shim", ClockOverlay, "none"}
	traits     = []string{"look", "two", "takeover", "reused", "nil", "finally"}
	tellings   = []string{"release", "extend", "callback", "cancelled", "nothing"}
)

// parse reads adapter.yaml; file names it in errors.
func parse(file string, text []byte) (m Manifest, err error) {
	v, err := strictyaml.Parse(file, text)
	if err != nil {
		return m, err
	}
	m.System, m.Topology, m.Clock = systems[0], topologies[0], clocks[0]
	if err := v.Decode(&m); err != nil {
		return m, err
	}
	if err := m.check(); err != nil {
		return m, fmt.Errorf("%s: %w", file, err)
	}
	return m, nil
}

// check returns an error of one line if a manifest is not usable.
func (m Manifest) check() error {
	switch {
	case !properName.MatchString(m.Name):
		return fmt.Errorf("name is %q; %s", m.Name, nameRule)
	case len(m.Run) == 0:
		return fmt.Errorf("run is missing; it is the command that starts the adapter, as a list of words")
	}
	for _, s := range m.Sources {
		if !fs.ValidPath(s) || s == "." {
			return fmt.Errorf("sources has %q; it names files and folders next to %s, as lock/redis; for "+
				"what lies above, %[2]s itself must lie there", s, ManifestName)
		}
	}
	for _, c := range m.Setup {
		if len(c) == 0 {
			return fmt.Errorf("setup has an empty command")
		}
	}
	if err := among("clock", clocks, m.Clock); err != nil {
		return err
	}
	if len(m.Variants) == 0 {
		return m.checkUse("")
	}
	for i, v := range m.Variants {
		if !properName.MatchString(v.Name) {
			return fmt.Errorf("variant %d has the name %q; %s", i+1, v.Name, nameRule)
		}
		if slices.ContainsFunc(m.Variants[:i], func(w Variant) bool { return w.Name == v.Name }) {
			return fmt.Errorf("two variants have the name %q; give one of them another", v.Name)
		}
		if err := m.checkUse(v.Name); err != nil {
			return err
		}
	}
	return nil
}

// checkUse checks the fields that a variant can override.
func (m Manifest) checkUse(variant string) error {
	u, err := m.Use(variant)
	if err != nil {
		return err
	}
	if u.Key != "" && !strings.Contains(u.Key, "{key}") {
		return fmt.Errorf("key is %q; it must contain {key}", u.Key)
	}
	if err := among("system", systems, u.System); err != nil {
		return err
	}
	if err := among("topology", topologies, u.Topology); err != nil {
		return err
	}
	if err := among("traits", traits, u.Traits...); err != nil {
		return err
	}
	return among("tells", tellings, u.Tells...)
}

func among(field string, possible []string, words ...string) error {
	for _, w := range words {
		if !slices.Contains(possible, w) {
			return fmt.Errorf("%s is %q; it may be %s", field, w, strings.Join(possible, ", "))
		}
	}
	return nil
}

// Variant returns the variant with this name. The name "" means the default variant.
func (m Manifest) Variant(name string) (Variant, error) {
	names := make([]string, len(m.Variants))
	for i, v := range m.Variants {
		if v.Name == name || name == "" {
			return v, nil
		}
		names[i] = v.Name
	}
	switch {
	case name == "":
		return Variant{}, nil
	case len(names) == 0:
		return Variant{}, fmt.Errorf("%s has no variants; omit --variant", m.Name)
	}
	return Variant{}, fmt.Errorf("%s has no variant %q%s; use one of %s", m.Name, name,
		units.DidYouMean(name, names), strings.Join(names, ", "))
}
