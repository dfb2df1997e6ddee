// Package harness turns a wish into a plan, and a plan and a world into a history. It has the one loop that drives any
// world: real processes, containers, the simulator.
package harness

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/lockbench/lockbench/history"
	"github.com/lockbench/lockbench/impls"
	"github.com/lockbench/lockbench/nemesis"
	"github.com/lockbench/lockbench/workloads"
)

// Plan is all that a run needs: the same plan gives the same run, as far as the world allows. On disk it is plan.json.
type Plan struct {
	Format         int              `json:"format"`
	Seed           uint64           `json:"seed"`
	World          string           `json:"world"`
	Topology       string           `json:"topology"`
	Impl           string           `json:"impl"`
	Variant        string           `json:"variant,omitempty"` // of the lock
	Nemesis        string           `json:"nemesis"`
	Workload       string           `json:"workload"`
	Clients        int              `json:"clients"`
	Keys           int              `json:"keys"`
	TTL            history.Duration `json:"ttl"`
	Poll           history.Duration `json:"poll"`
	AcquireTimeout history.Duration `json:"acquire_timeout"`
	Hold           history.Duration `json:"hold"`
	Think          history.Duration `json:"think"`
	Backoff        history.Duration `json:"backoff"`        // pause after an outcome that nobody knows
	ClientTimeout  history.Duration `json:"client_timeout"` // dial, read and write of the Redis client
	ClientRetries  int              `json:"client_retries"` // what the Redis client itself resends
	RedisConfig    []string         `json:"redis_config,omitempty"`
	For            history.Duration `json:"for"` // the run ends then at the latest
	Stop           bool             `json:"stop_on_violation,omitempty"`
	Properties     []string         `json:"properties"`
	Expect         string           `json:"expect"`
	Requires       history.Requires `json:"requires"`
	Scenario       []nemesis.Step   `json:"scenario"`
}

// Wish is what a user asked for; zero fields mean the default.
type Wish struct {
	World, Impl, Variant, Nemesis, Workload, Expect     string
	Seed                                                uint64
	Clients, Keys, ClientRetries                        int
	TTL, Poll, AcquireTimeout, Hold, Think, ClientLimit time.Duration
	Documented                                          bool // use the document's own lease and poll
	For                                                 time.Duration
	Stop                                                bool
	Properties, RedisConfig                             []string
}

// The table of defaults (design §9).
const (
	defaultTTL      = 2 * time.Second
	minPoll         = 5 * time.Millisecond
	maxPoll         = 100 * time.Millisecond
	minHold         = 80 * time.Millisecond
	defaultClients  = 4
	defaultTimeout  = 250 * time.Millisecond
	defaultBackoff  = 20 * time.Millisecond
	defaultFor      = 10 * time.Second
	minContended    = 5
	defaultAcquire  = 5 * time.Second
	defaultExpect   = "valid"
	defaultWorkload = workloads.Mutex
)

// judged are the properties that a run judges by default.
var judged = []string{"S", "L"}

// NewPlan fills in the defaults and refuses what makes no sense, with what to do about it.
func NewPlan(w Wish) (Plan, error) {
	lock, err := impls.Find(w.Impl)
	if err != nil {
		return Plan{}, err
	}
	fault, variant, err := nemesis.Find(w.Nemesis)
	if err != nil {
		return Plan{}, err
	}
	p := Plan{
		Format: history.Format, Seed: w.Seed, World: w.World, Topology: fault.Topology, Impl: w.Impl, Variant: w.Variant,
		Nemesis: w.Nemesis, Workload: or(w.Workload, defaultWorkload), Clients: or(w.Clients, defaultClients), Keys: or(w.Keys, 1),
		ClientRetries: w.ClientRetries, RedisConfig: w.RedisConfig, Stop: w.Stop,
		Think: history.Duration(w.Think), Backoff: history.Duration(defaultBackoff),
		ClientTimeout: history.Duration(or(w.ClientLimit, defaultTimeout)), For: history.Duration(or(w.For, defaultFor)),
		Properties: w.Properties, Expect: or(w.Expect, defaultExpect), Scenario: fault.Steps(variant),
	}
	if len(p.Properties) == 0 {
		p.Properties = judged
	}
	p.times(w, lock)
	p.Requires = requires(p.Scenario)
	return p, p.Validate()
}

func or[T comparable](v, otherwise T) T {
	var zero T
	if v == zero {
		return otherwise
	}
	return v
}

// times scales the document's pauses to the lease that the run uses.
func (p *Plan) times(w Wish, lock impls.Entry) {
	documented := w.Documented || lock.Fixed
	ttl := or(w.TTL, defaultTTL)
	if documented {
		ttl = lock.TTL
	}
	poll := lock.Poll
	if !documented && lock.TTL > 0 {
		poll = time.Duration(float64(lock.Poll) * float64(ttl) / float64(lock.TTL))
	}
	if !documented {
		poll = min(max(poll, minPoll), maxPoll)
	}
	poll = or(w.Poll, poll)
	p.TTL, p.Poll = history.Duration(ttl), history.Duration(poll)
	p.Hold = history.Duration(or(w.Hold, hold(ttl, poll)))
	p.AcquireTimeout = history.Duration(or(w.AcquireTimeout, max(defaultAcquire, 2*ttl)))
}

// hold is long enough for a waiting client to poll three times, and stays well inside the lease.
func hold(ttl, poll time.Duration) time.Duration {
	h := max(minHold, 3*poll)
	if ttl > 0 && h >= ttl/3 {
		return ttl / 3
	}
	return h
}

// requires is the evidence without which a run of this scenario proves nothing.
func requires(steps []nemesis.Step) history.Requires {
	r := history.Requires{Contended: minContended}
	for _, s := range steps {
		if s.Strike {
			r.Strikes++
		}
		r.Failover = r.Failover || s.Do == nemesis.Promote
	}
	return r
}

// Validate says in one line what is wrong with a plan, also with one that somebody wrote by hand.
func (p Plan) Validate() error {
	_, err := impls.Find(p.Impl)
	switch {
	case p.Format != history.Format:
		return fmt.Errorf("plan format %d is not known; this lockbench writes and reads format %d", p.Format, history.Format)
	case err != nil:
		return err
	case p.TTL <= 0:
		return fmt.Errorf("--ttl is %v; a lease must be above zero", p.TTL)
	case p.Poll <= 0:
		return fmt.Errorf("--poll is %v; it must be above zero", p.Poll)
	case p.Hold <= 0 || p.Think < 0 || p.For <= 0 || p.AcquireTimeout <= 0 || p.ClientTimeout <= 0:
		return fmt.Errorf("--hold, --for, --acquire-timeout and --client-timeout must be above zero, --think not below")
	case p.Clients < 1 || p.Clients > maxClients:
		return fmt.Errorf("--clients is %d; 1 to %d are possible", p.Clients, maxClients)
	case p.Keys < 1:
		return fmt.Errorf("--keys is %d; at least 1 is needed", p.Keys)
	case p.ClientRetries < 0:
		return fmt.Errorf("--client-retries is %d; it is 0 or more", p.ClientRetries)
	case len(p.RedisConfig)%2 != 0:
		return fmt.Errorf("redis_config has %d words; it is a list of names and values", len(p.RedisConfig))
	case !slices.Contains(workloads.Names(), p.Workload):
		return fmt.Errorf("unknown workload %q; there are: %s", p.Workload, strings.Join(workloads.Names(), ", "))
	}
	return nil
}

// maxClients bounds the load on the machine.
const maxClients = 64

// Declares is what the plan's lock promises.
func (p Plan) Declares() history.Declares {
	e, err := impls.Find(p.Impl)
	if err != nil {
		return history.Declares{} // Validate has said so
	}
	return history.Declares{Lease: e.Lease, Validity: e.Validity, Loss: e.Loss, Fencing: e.Fencing, Reentrant: e.Reentrant}
}

// Worker is what all workers of the plan have in common.
func (p Plan) Worker() workloads.Config {
	keys := make([]string, p.Keys)
	for i := range keys {
		keys[i] = fmt.Sprintf("lock:%d", i)
	}
	return workloads.Config{
		Impl: p.Impl, Variant: p.Variant, TTL: p.TTL, Poll: p.Poll, AcquireTimeout: p.AcquireTimeout,
		ClientTimeout: p.ClientTimeout, ClientRetries: p.ClientRetries, Keys: keys,
	}
}

// Write writes plan.json.
func (p Plan) Write(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(p)
}

// ReadPlan reads plan.json and validates it. A field that is not known is refused: it is probably misspelt.
func ReadPlan(r io.Reader) (Plan, error) {
	var p Plan
	dec := json.NewDecoder(r)
	dec.DisallowUnknownFields()
	if err := dec.Decode(&p); err != nil {
		return p, fmt.Errorf("plan.json: %w", err)
	}
	return p, p.Validate()
}
