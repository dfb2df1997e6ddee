package nemesis

import (
	"cmp"
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/lockbench/lockbench/internal/base/advice"
	"github.com/lockbench/lockbench/internal/base/strictyaml"
	"github.com/lockbench/lockbench/internal/base/units"
)

// The topologies.
const (
	Single = "single" // one Redis
	// a master n0 with one replica n1, or several; the harness promotes one, and the others follow it
	Failover    = "failover"
	Independent = "independent" // N masters that know nothing of each other
	// a master n0 with replicas n1 and n2, and three sentinels that promote
	Sentinel = "sentinel"
	// a Redis Cluster: three masters n0, n1 and n2, each with one replica, n3, n4 and n5; the masters'
	// votes promote a replica; the run's keys are on n0 if they are on one master
	Cluster = "cluster"
	// three servers n0, n1 and n2 that agree on every write; n0 is the first leader
	Ensemble = "ensemble"
)

// Topologies returns the closed list.
func Topologies() []string {
	return []string{Single, Failover, Independent, Sentinel, Cluster, Ensemble}
}

// Params are the parts of a plan that a fault depends on: a pause must outlast the attacked lease.
type Params struct {
	TTL     time.Duration
	Hold    time.Duration // how long a client stays inside
	Poll    time.Duration // between a client's attempts
	Clients int
	// independent masters that the lock uses; 1 for a lock that uses one Redis
	Nodes        int
	Timeout      time.Duration // of the clients' Redis connections
	Topology     string        // the requested topology; if empty, the fault chooses it
	Replicas     int           // of the topology Failover; 0 means one
	Seed         uint64        // of the random choices
	Capabilities Capabilities  // the set to draw from; the zero value has no limits
	// Tapped tells that commands are seen on their way: one that could not be sent is not seen.
	Tapped bool
}

// Scenario is a fault that was prepared for one plan.
type Scenario struct {
	Topology string
	Replicas int // behind each independent master, or of the topology Failover; there 0 means 1
	Steps    []Step
	Timeout  time.Duration // of the clients' Redis connections; if 0, the plan's own
	Aimed    int           // the number of aimed steps that must hit
	GivesUp  bool          `json:",omitempty"` // see Form
}

// Entry is a row of the table of faults in faults.yaml.
type Entry struct {
	Name     string    `yaml:"name"`
	When     string    `yaml:"when"`     // as When says it, with %s for the system
	Line     string    `yaml:"line"`     // a description in one line
	Lasts    string    `yaml:"lasts"`    // the default duration or amount
	Needs    string    `yaml:"needs"`    // the required topology, or ""
	Drawn    bool      `yaml:"drawn"`    // it is drawn from everything that the environment offers
	Work     bool      `yaml:"work"`     // clients work while they hold the lock
	Variants []Variant `yaml:"variants"` // possible suffixes after a colon; the first: default
	Form
}

// Variant is a form of a fault.
type Variant struct {
	Name string `yaml:"name"` // "N" matches a number above zero, "DURATION" a duration
	Line string `yaml:"line"` // the difference, in a few words
	When string `yaml:"when"` // as Entry.When; only needed if the fault's own does not fit
	// The same schedule without its harm: it must find nothing beyond the findings of a run without a
	// fault.
	Control bool `yaml:"control"`
	Form
}

// Form describes a fault: the effect, the target and the moments. A variant's Form has only the
// fields that differ from its fault's.
type Form struct {
	// a client, or one of n0, minority and majority for servers; if empty, the owner and all servers
	On      string `yaml:"on"`
	Timeout string `yaml:"client_timeout"` // as of a Schedule
	// The clients must give up a command soon, so that a library is told the time-out, too.
	GivesUp bool `yaml:"gives_up"`
	// With a shorter lease, the scenario itself would outlive the lease, and the run would show
	// nothing.
	Lease  string    `yaml:"lease"`
	Effect []written `yaml:"effect"` // the meaning of "begin" and "hit" among the steps
	Stays  bool      `yaml:"stays"`  // nothing undoes the effect
	Steps  []written `yaml:"steps"`
	One    []written `yaml:"one"` // instead of Steps, for a lock that uses one Redis
	// instead of Steps, if the environment does not see the commands of clients
	Unseen []written `yaml:"unseen"`
}

//go:embed faults.yaml
var faultsFile []byte

// table returns the closed list of faults, and the named steps that they share.
var table = sync.OnceValue(func() (t struct {
	Moments map[string][]written `yaml:"moments"`
	Faults  []Entry              `yaml:"faults"`
}) {
	v, err := strictyaml.Parse("nemesis/faults.yaml", faultsFile)
	if err == nil {
		err = v.Decode(&t)
	}
	if err != nil {
		panic(err)
	}
	return t
})

// When completes "Can two clients hold this lock at once …?" for a fault, given by its name with or
// without a variant. It inserts the name of the servers' system. It returns "" for an unknown
// fault.
func When(spec, system string) string {
	e, variant, _ := Find(spec)
	when := e.When
	for _, v := range e.Variants {
		if v.Name == variant && v.When != "" && strings.Contains(spec, ":") {
			when = v.When
		}
	}
	return strings.Replace(when, "%s", SystemName(system), 1)
}

// All returns the table of faults. The caller may keep and change the slice.
func All() []Entry { return slices.Clone(table().Faults) }

// Find returns the row for "name" or "name:variant", and the variant for Scenario.
func Find(spec string) (Entry, string, error) {
	if name := Base(spec); strings.Contains(name, ",") {
		return Entry{}, "", fmt.Errorf("%s are several faults", name)
	}
	name, variant, given := strings.Cut(spec, ":")
	var names []string
	for _, e := range table().Faults {
		names = append(names, e.Name)
		if e.Name != name {
			continue
		}
		if !given {
			return e, e.Default(), nil
		}
		return e, variant, e.check(variant)
	}
	if base := strings.TrimRight(name, "+-"); base != name && slices.Contains(names, base) {
		return Entry{}, "", fmt.Errorf("unknown nemesis %q (did you mean %q?)", name,
			base+":"+name[len(base):])
	}
	return Entry{}, "", fmt.Errorf("unknown nemesis %q%s; there are: %s", name,
		units.DidYouMean(name, names), strings.Join(names, ", "))
}

// Base returns the name of a fault without its variant. The name of several faults is all of it.
func Base(spec string) string {
	if strings.Contains(spec, ",") {
		return spec
	}
	name, _, _ := strings.Cut(spec, ":")
	return name
}

// FullName returns a fault's name with its variant, even if that is the default.
func FullName(spec string) string {
	if _, variant, err := Find(spec); err == nil && variant != "" {
		return Base(spec) + ":" + variant
	}
	return spec
}

// SameAim reports whether two names mean the same aim, even if one omits its variant.
func SameAim(a, b string) bool { return FullName(a) == FullName(b) }

// Default returns the default variant, or "" if the fault has no variants.
func (e Entry) Default() string {
	if len(e.Variants) == 0 {
		return ""
	}
	return e.Variants[0].Name
}

// check returns an error if the fault does not have this variant.
func (e Entry) check(variant string) error {
	var names []string
	for _, v := range e.Variants {
		if v.is(variant) {
			return nil
		}
		names = append(names, v.Name)
	}
	if variant == "all" {
		return fmt.Errorf("%s:all is a run for every aim of %s: only `"+advice.Verb("run")+"` has it, and not in a "+
			"list; one of the aims may be named: %s", e.Name, e.Name, strings.Join(names, ", "))
	}
	if len(e.Variants) == 0 {
		return fmt.Errorf("nemesis %q has no variants", e.Name)
	}
	return fmt.Errorf("nemesis %q has no variant %q; it has: %s", e.Name, variant,
		strings.Join(names, ", "))
}

// is reports whether a text names the variant.
func (v Variant) is(text string) bool {
	switch v.Name {
	case "N":
		n, err := strconv.Atoi(text)
		return err == nil && n > 0
	case "DURATION":
		d, err := time.ParseDuration(text)
		return err == nil && d > 0
	}
	return v.Name == text
}

// form returns the fault's form with the changes of a variant.
func (e Entry) form(variant string) Form {
	f := e.Form
	for _, v := range e.Variants {
		if !v.is(variant) {
			continue
		}
		f.On, f.Timeout = cmp.Or(v.On, f.On), cmp.Or(v.Timeout, f.Timeout)
		f.Lease, f.GivesUp = cmp.Or(v.Lease, f.Lease), v.GivesUp || f.GivesUp
		f.Effect, f.Steps = either(v.Effect, f.Effect), either(v.Steps, f.Steps)
		f.One, f.Unseen = either(v.One, f.One), either(v.Unseen, f.Unseen)
		break
	}
	return f
}

func either(steps, otherwise []written) []written {
	if steps == nil {
		return otherwise
	}
	return steps
}
