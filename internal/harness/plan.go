// Package harness turns the options of a user into a plan, and runs a plan on an environment to
// record a history. Its one loop drives every environment: real processes, containers and the
// simulator.
package harness

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/lockbench/lockbench/adapters"
	"github.com/lockbench/lockbench/impls"
	"github.com/lockbench/lockbench/internal/base/option"
	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/nemesis"
	"github.com/lockbench/lockbench/workloads"
)

// PlanFormat is the version of plan.json that this package writes.
const PlanFormat = 2

// Plan describes a run completely. The same plan gives the same run, except for the differences
// that the environment makes. On disk it is plan.json.
type Plan struct {
	Format      int    `json:"format"`
	Seed        uint64 `json:"seed"`
	Environment string `json:"environment"`
	Place       Place  `json:"place,omitzero"` // of the environment's servers
	Topology    string `json:"topology"`
	Masters     int    `json:"masters,omitempty"` // of the topology independent
	// of each master, or of the one master of the topology failover, where 0 means one replica
	Replicas int    `json:"replicas,omitempty"`
	Impl     string `json:"impl"`              // name of the lock or of the adapter
	Variant  string `json:"variant,omitempty"` // of the lock
	// drives the lock; nil for lockbench's own locks
	Adapter  *Adapter `json:"adapter,omitempty"`
	Nemesis  string   `json:"nemesis"`
	Story    string   `json:"story,omitempty"` // that the run shows, by its name in the tour
	Workload string   `json:"workload"`
	Clients  int      `json:"clients"`
	// the most cycles of each client, or 0 for as many as the run needs
	Rounds int `json:"rounds,omitempty"`
	// cycles that each client must have done before the run may end
	Cycles         int              `json:"cycles,omitempty"`
	Keys           int              `json:"keys"`
	TTL            history.Duration `json:"ttl"`
	Poll           history.Duration `json:"poll"`
	AcquireTimeout history.Duration `json:"acquire_timeout"`
	Hold           history.Duration `json:"hold"`
	Think          history.Duration `json:"think"`
	// pause of a client that was granted a lock twice in a row, so that another one gets it
	Rest          history.Duration `json:"rest,omitempty"`
	Backoff       history.Duration `json:"backoff"`        // pause after an unknown outcome
	ClientTimeout history.Duration `json:"client_timeout"` // dial, read and write of the Redis client
	ClientRetries int              `json:"client_retries"` // how often the Redis client itself resends
	NoWatchdog    bool             `json:"no_watchdog,omitempty"`
	impls.Settings
	history.ClientSettings
	RedisConfig []string         `json:"redis_config,omitempty"`
	For         history.Duration `json:"for"` // the longest time that the run may take
	Stop        bool             `json:"stop_on_violation,omitempty"`
	// a violation does not end the run, so that every property is judged
	Thorough   bool     `json:"thorough,omitempty"`
	Properties []string `json:"properties"`
	// properties that do not decide the run, unless Expect names them
	Reported []string         `json:"reported,omitempty"`
	Expect   string           `json:"expect"`
	Requires history.Requires `json:"requires"`
	Scenario []nemesis.Step   `json:"scenario"`
}

// RunOptions is the request of a user. Zero fields mean the default.
type RunOptions struct {
	Environment string `yaml:"-"`
	Topology    string `yaml:"topology"`
	Impl        string `yaml:"impl"`
	Adapter     string `yaml:"adapter"` // instead of Impl: a name or a folder
	// instead of both: a lock that is linked into this program by the manifest's name (workloads.Link)
	Linked         *adapters.Manifest `yaml:"-"`
	Variant        string             `yaml:"variant"`
	Nemesis        string             `yaml:"nemesis"`
	Workload       string             `yaml:"workload"`
	Expect         string             `yaml:"-"`
	Seed           uint64             `yaml:"-"`
	Clients        int                `yaml:"clients,positive"`
	Cycles         int                `yaml:"cycles,positive"`
	Keys           int                `yaml:"keys,positive"`
	Masters        int                `yaml:"masters,positive"`
	Replicas       int                `yaml:"replicas,positive"`
	ClientRetries  *int               `yaml:"client_retries"` // nil: none, of a library its own
	TTL            time.Duration      `yaml:"-"`              // SetLease reads it
	Poll           time.Duration      `yaml:"poll,positive"`
	AcquireTimeout time.Duration      `yaml:"acquire_timeout,positive"`
	Hold           time.Duration      `yaml:"hold,positive"`
	Think          time.Duration      `yaml:"think"`
	ClientTimeout  time.Duration      `yaml:"client_timeout,positive"`
	For            time.Duration      `yaml:"for,positive"`
	impls.Settings
	history.ClientSettings
	// use the lease and the poll of the lock's source document
	Documented  bool     `yaml:"-"`
	NoWatchdog  bool     `yaml:"-"`
	Stop        bool     `yaml:"stop_on_violation"`
	Thorough    bool     `yaml:"thorough"`
	Properties  []string `yaml:"properties,commas"`
	RedisConfig []string `yaml:"-"` // names and values by turns; Configure reads them
	Place       Place    `yaml:"-"` // of the environment's servers
	// faults that the environment can inject; the zero value means all
	Capabilities nemesis.Capabilities `yaml:"-"`
}

// SetLease reads a lease: a duration, "documented", or "" for the default. The default of clients
// with leases of their own is the longest of them, and no other is accepted.
func (o *RunOptions) SetLease(text string) error {
	switch {
	case text == "":
		o.TTL = o.Leases.Most(history.Duration(o.TTL)).D()
		return nil
	case len(o.Leases) > 0 && !o.isLongest(text):
		return fmt.Errorf("--ttl is %s, and the longest of --leases %v is another; omit --ttl", text,
			o.Leases)
	case text == "documented":
		o.Documented = true
		return nil
	}
	ttl, err := time.ParseDuration(text)
	if err != nil || ttl <= 0 {
		return fmt.Errorf(`--ttl is %q; a lease is a duration above zero ("2s") or "documented"`, text)
	}
	o.TTL = ttl
	return nil
}

// isLongest reports whether a text is the longest of the clients' own leases. The defaults of a
// gate file may say it for all entries.
func (o *RunOptions) isLongest(text string) bool {
	ttl, err := time.ParseDuration(text)
	return err == nil && ttl == o.Leases.Most(0).D()
}

// Configure adds settings of every redis-server, each key=value.
func (o *RunOptions) Configure(settings []string) error {
	for _, s := range settings {
		k, v, ok := strings.Cut(s, "=")
		if !ok || k == "" {
			return fmt.Errorf("--redis-config %q is not key=value", s)
		}
		o.RedisConfig = append(o.RedisConfig, k, v)
	}
	return nil
}

// The table of defaults (docs/design.md, Defaults). A lock has its own in impls.Entry.Defaults.
const (
	defaultTTL     = 2 * time.Second
	minHold        = 80 * time.Millisecond
	shortHold      = 5 * time.Millisecond // of a run with many cycles
	defaultClients = 4
	defaultMasters = 5
	defaultTimeout = 250 * time.Millisecond
	defaultAcquire = 5 * time.Second // of an adapter
	defaultBackoff = 20 * time.Millisecond
	electionTTL    = 10 * time.Second // a lease that outlives an election by sentinels
	electionFor    = 40 * time.Second
	minContended   = 5
	minHandovers   = 2
	minConflicts   = 1
	defaultExpect  = "valid"
	maxClients     = 64 // bounds the load on the machine
)

// DefaultFor is the length of a run that names none.
const DefaultFor = 10 * time.Second

// AwaitsLease reports whether a run of a length waits until a lease is over. The fault may strike
// as late as in the middle of the run.
func AwaitsLease(lease, run time.Duration) bool { return lease <= run/2 }

// NewPlan fills in the defaults. It returns an error that says what to do if options contradict
// each other or cannot work.
func NewPlan(w RunOptions) (Plan, error) {
	lock, err := LockOf(w)
	if err = cmp.Or(err, option.Check(w.Table())); err != nil {
		return Plan{}, err
	}
	faults, err := nemesis.Parse(w.Nemesis)
	if err != nil {
		return Plan{}, err
	}
	if w.DrawsLoad() {
		w.drawLoad(lock)
	}
	if faults.Elects() {
		w.TTL, w.For = cmp.Or(w.TTL, electionTTL), cmp.Or(w.For, electionFor)
	}
	if least := faults.Lease(); least > defaultTTL && !w.ownLease() {
		w.TTL = cmp.Or(w.TTL, least)
	}
	p := Plan{
		Format: PlanFormat, Seed: w.Seed, Environment: w.Environment, Place: w.Place,
		Impl: w.Impl, Nemesis: w.Nemesis,
		Workload:    cmp.Or(w.Workload, workloads.Usual(lock)),
		Clients:     cmp.Or(w.Clients, defaultClients),
		Cycles:      w.Cycles,
		RedisConfig: w.RedisConfig, Stop: w.Stop, Thorough: w.Thorough,
		NoWatchdog: w.NoWatchdog, Settings: w.Settings, ClientSettings: w.ClientSettings,
		Think: history.Duration(w.Think), Backoff: history.Duration(defaultBackoff),
		For: history.Duration(cmp.Or(w.For, DefaultFor)), Expect: cmp.Or(w.Expect, defaultExpect),
		Properties: history.Distinct(w.Properties),
	}
	if w.ClientRetries != nil {
		p.ClientRetries = *w.ClientRetries
	}
	p.Keys = cmp.Or(w.Keys, keysFor(p.Workload))
	if len(p.Properties) == 0 {
		// A property costs nothing if the lock does not promise it or the workload does not test it.
		p.Properties, p.Reported = history.DefaultProperties(), history.ReportedProperties()
	}
	expect := history.ParseExpectation(p.Expect)
	for _, l := range expect.Letters {
		if !slices.Contains(p.Properties, l) {
			p.Properties = append(p.Properties, l)
		}
	}
	// only a run that goes on after a violation can show that nothing else is violated
	p.Thorough = p.Thorough || expect.Exactly || expect.Starved
	if w.Adapter == "" && w.Linked == nil {
		p.times(w, lock)
	} else if err := p.adapt(w); err != nil {
		return p, err
	}
	if p.System() != "" && len(w.Properties) == 0 {
		p.Reported = append(p.Reported, unseen...)
	}
	if p.Clients > 1 {
		p.Rest = history.Duration(tidy(pauseBetween(p.Poll.D())))
	}
	if err := p.aim(w, lock, faults); err != nil {
		return p, err
	}
	if p.Environment == "sim" && p.Simulable() != nil && p.System() == "" {
		return p, p.Simulable()
	}
	return p, p.Validate()
}

// keysFor returns how many locks a workload needs at least.
func keysFor(workload string) int {
	for _, w := range workloads.All() {
		if w.Name == workload {
			return w.Keys
		}
	}
	return 1
}

// times sets the lock's own times, scaled to the lease of the run, and the time that a client stays
// inside.
func (p *Plan) times(w RunOptions, lock impls.Entry) {
	ttl := cmp.Or(w.TTL, defaultTTL)
	if w.Documented {
		ttl = 0
	}
	d := lock.Defaults(ttl)
	p.Variant = cmp.Or(w.Variant, d.Variant)
	p.TTL, p.Poll = history.Duration(cmp.Or(d.TTL, w.TTL, defaultTTL)),
		history.Duration(cmp.Or(w.Poll, tidy(d.Poll)))
	p.Hold = history.Duration(cmp.Or(w.Hold, p.usualHold()))
	p.AcquireTimeout = history.Duration(cmp.Or(w.AcquireTimeout, max(d.AcquireTimeout, 2*p.TTL.D())))
	p.WaitTimeout = cmp.Or(w.WaitTimeout, d.WaitTimeout)
}

// tidy rounds a scaled time to whole milliseconds, unless it is shorter than one.
func tidy(d time.Duration) time.Duration {
	if d < time.Millisecond {
		return d
	}
	return d.Round(time.Millisecond)
}

// usualHold returns the time inside. It is short if many cycles are asked for.
func (p *Plan) usualHold() time.Duration {
	h := tidy(hold(p.Leases.Least(p.TTL).D(), p.Poll.D()))
	if p.Cycles > 0 {
		return min(h, shortHold)
	}
	return h
}

// hold returns a hold that lets a waiting client poll three times, and that ends well before the
// lease.
func hold(ttl, poll time.Duration) time.Duration {
	if h := pauseBetween(poll); h < ttl/3 {
		return h
	}
	return max(ttl/3, time.Millisecond)
}

// pauseBetween returns a pause that is long enough for a waiting client to try three times.
func pauseBetween(poll time.Duration) time.Duration { return max(minHold, 3*poll) }

// Simulable returns nil if this program can run the plan in the simulator, or the reason why not in
// one line.
func (p Plan) Simulable() error {
	if p.Adapter == nil {
		return nil
	}
	if all := slices.Sorted(maps.Keys(p.Adapter.Commands)); len(all) > 0 {
		return fmt.Errorf("the simulated Redis has no %s, which needs %s or newer: use run or matrix "+
			"with --adapter %s, on such a server", all[0], p.Adapter.Commands[all[0]], p.Adapter.Name)
	}
	if workloads.IsLinked(p.Impl) {
		return nil
	}
	return fmt.Errorf("the adapter %s needs redis-server here, or --env docker; explore and run "+
		"--env sim run it in the simulator", p.Adapter.Name)
}

// Validate returns an error of one line if a plan is wrong. It also checks handwritten plans.
func (p Plan) Validate() error {
	lock, err := p.lock()
	switch {
	case p.Format != PlanFormat:
		return units.CheckFormat(p.Format, PlanFormat)
	case err != nil:
		return err
	case p.Environment == "sim" && p.System() != "" && p.System() != nemesis.Redis:
		return fmt.Errorf("the simulator has no %s, which %s needs: omit --env sim",
			p.System(), p.Adapter.Name)
	case p.Adapter != nil && p.Place.Workers == "container":
		return fmt.Errorf("the process of the adapter %s runs on this machine, where its library is set "+
			"up; omit --workers container", p.Adapter.Name)
	case nemesis.HasSystem(p.Environment, p.System()) != nil:
		return nemesis.HasSystem(p.Environment, p.System())
	case p.bounded() != nil:
		return p.bounded()
	case p.TTL <= 0:
		return fmt.Errorf("--ttl is %v; a lease must be above zero", p.TTL)
	case lock.Fixed && len(p.Leases) > 0:
		return fmt.Errorf("%s always has the lease of its document; omit --leases", p.Impl)
	case p.TTL != p.Leases.Most(p.TTL):
		return fmt.Errorf("the longest of --leases %v must be the ttl, %v", p.Leases, p.TTL)
	case p.Rest < 0:
		return fmt.Errorf("rest is %v; a client cannot rest for less than no time", p.Rest)
	case p.Hold <= 0 || p.Think < 0 || p.For <= 0 || p.AcquireTimeout <= 0 || p.ClientTimeout <= 0:
		return fmt.Errorf(
			"--hold, --for, --acquire-timeout and --client-timeout must be above zero, --think not below")
	case p.Clients == 0 || p.Keys == 0:
		return fmt.Errorf("--clients is %d and --keys %d; at least 1 is needed", p.Clients, p.Keys)
	}
	if err := cmp.Or(nemesis.ReplicasIn(p.Topology, p.Replicas), p.Adapter.check(),
		allowed(p.RedisConfig), Expectable(p.Expect), Judgeable(p.Properties),
		Judgeable(p.Reported)); err != nil {
		return err
	}
	if err := lock.Runs(p.Topology); err != nil {
		return err
	}
	if err := workloads.Suits(lock, p.Workload, p.Keys); err != nil {
		return err
	}
	if p.Adapter != nil {
		return lock.Check(impls.Options{TTL: p.TTL.D(), Variant: p.Variant}, 1, max(p.Masters, 1))
	}
	return lock.Check(p.Worker().Options(), 1, max(p.Masters, 1))
}

// Deciding returns the properties that decide the run: all except the reported ones that Expect
// does not name. The caller may keep and change the slice.
func (p Plan) Deciding() []string {
	expect := history.ParseExpectation(p.Expect)
	return slices.DeleteFunc(slices.Clone(p.Properties), func(name string) bool {
		return slices.Contains(p.Reported, name) && !expect.Names(name)
	})
}

// Declares returns the promises of the plan's lock.
func (p Plan) Declares() history.Declares {
	e, err := p.lock()
	if err != nil {
		return history.Declares{} // Validate has said so
	}
	d := history.Declares{Lease: e.Lease, Validity: e.Validity, Loss: e.Loss, Fencing: e.Fencing,
		Reentrant: e.Reentrant, Optimistic: e.Optimistic,
		Transaction: p.Workload == workloads.Transaction}
	if p.Adapter != nil {
		d.DeadWaiters = history.Duration(p.Adapter.Declares.DeadWaiters)
		d.MinimumHold = history.Duration(p.Adapter.Declares.MinimumHold)
		d.Pause = history.Duration(p.Adapter.Declares.Pause)
		d.LeaderRenews = p.Adapter.Declares.LeaderRenews
		d.Shared = p.Adapter.Declares.Shared
		d.Preference = p.Adapter.Declares.Preference
		d.Endless = p.Adapter.Declares.Endless
	}
	return d
}

// Renews reports whether the plan's lock renews its lease by itself.
func (p Plan) Renews() bool {
	e, err := p.lock()
	return err == nil && e.Watchdog && !p.NoWatchdog
}

// scripts returns the scripts of the plan's lock with the meaning of their replies, by identifier.
func (p Plan) scripts() map[string]history.Script {
	e, err := p.lock()
	if err != nil || len(e.Scripts) == 0 {
		return nil
	}
	out := map[string]history.Script{}
	for _, s := range e.Scripts {
		out[history.ScriptID(s.Text)] = s.Script
	}
	return out
}

// Worker returns the configuration that all workers of the plan share.
func (p Plan) Worker() workloads.Config {
	keys := make([]string, p.Keys)
	for i := range keys {
		keys[i] = fmt.Sprintf("lock:%d", i)
	}
	return workloads.Config{
		Impl: p.Impl, Variant: p.Variant, TTL: ifTold(p, toldTTL, p.TTL),
		Poll:           ifTold(p, toldPoll, p.Poll),
		AcquireTimeout: p.AcquireTimeout, ClientTimeout: ifTold(p, toldTimeout, p.ClientTimeout),
		ClientRetries: ifTold(p, toldRetries, &p.ClientRetries), Keys: keys,
		NoWatchdog: p.NoWatchdog, Settings: p.Settings, ClientSettings: p.ClientSettings,
	}
}

// Write writes plan.json.
func (p Plan) Write(w io.Writer) error {
	return history.WriteDocument(w, p)
}

// ReadPlan reads plan.json and validates it. It refuses an unknown field, since that is probably a
// spelling mistake.
func ReadPlan(r io.Reader) (Plan, error) {
	text, err := units.ReadAll(r, units.MaxFile)
	if err != nil {
		return Plan{}, fmt.Errorf("plan.json: %w", err)
	}
	p, err := DecodePlan(text)
	if err != nil {
		return p, fmt.Errorf("plan.json: %w", err)
	}
	return p, p.Validate()
}

// DecodePlan reads a plan in JSON. It checks only the format and the names of fields.
func DecodePlan(text []byte) (p Plan, err error) {
	text = bytes.TrimPrefix(text, []byte(units.BOM)) // some editors put it at the start of a file
	var of struct {
		Format int `json:"format"`
	}
	if err := json.Unmarshal(text, &of); err != nil {
		return p, err
	}
	if err := units.CheckFormat(of.Format, PlanFormat); err != nil {
		return p, err
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	err = dec.Decode(&p)
	p.Properties = history.Distinct(p.Properties)
	return p, err
}
