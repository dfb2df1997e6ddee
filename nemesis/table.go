package nemesis

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// The topologies.
const (
	Single      = "single"      // one Redis
	Failover    = "failover"    // a master n0 with one replica n1; the harness promotes it
	Independent = "independent" // N masters that know nothing of each other
	Sentinel    = "sentinel"    // a master n0 with replicas n1 and n2, and three sentinels that promote
)

// Params is what a fault needs to know of the plan: a pause must outlast the lease that it attacks.
type Params struct {
	TTL     time.Duration
	Clients int
	Nodes   int           // independent masters that the lock uses; 1 for a lock that uses one Redis
	Timeout time.Duration // of the clients' Redis connections
}

// long outlasts the lease (design §9: pause and cut).
func (p Params) long() time.Duration { return p.TTL * 13 / 10 }

// jump is a clock's jump that no lease survives.
func (p Params) jump() time.Duration { return p.TTL + 500*time.Millisecond }

// Scenario is a fault made ready for one plan.
type Scenario struct {
	Topology string
	Steps    []Step
	Timeout  time.Duration // the clients' Redis time-out that the scenario needs; 0: the plan's own
}

// Entry is a row of the table of faults.
type Entry struct {
	Name     string
	Line     string   // what it does, in one line
	Variants []string // what may follow the name after a colon; the first is the default
	Failover bool     // it needs a replica to promote
	Masters  bool     // it needs independent masters
	steps    func(variant string, p Params) []Step
	timeout  func(variant string, p Params) time.Duration // nil: the plan's own
}

// table is the closed list of faults.
var table = []Entry{
	{Name: "none", Line: "no fault: the clients only contend",
		steps: func(string, Params) []Step { return nil }},
	{Name: "failover", Line: "the master dies holding a grant that its replica never heard of, and the replica is promoted",
		Variants: []string{"cut", "delayed", "healthy"}, Failover: true, steps: failover},
	{Name: "pause", Line: "the holder is stopped (SIGSTOP) for longer than the lease, or for a moment (short: the control)",
		Variants: []string{"long", "short"}, steps: pause},
	{Name: "crash", Line: "a client is killed while it holds the lock, or (crash:N) after its N-th Redis command",
		Variants: []string{"holding", "N"}, steps: crash},
	{Name: "partition", Line: "the holder is cut off from Redis for longer than the lease; FIN and RST still pass",
		Variants: []string{"both", "requests", "replies", "refuse", "reset"}, steps: partition},
	{Name: "request-loss", Line: "the holder's release, or an acquire's first command, is lost on its way to Redis",
		Variants: []string{"release", "acquire"}, steps: loss(Requests)},
	{Name: "reply-loss", Line: "the same is executed, but its reply is lost",
		Variants: []string{"release", "acquire"}, steps: loss(Replies)},
	{Name: "late", Line: "a release is delivered after its client gave up and another was granted, or a grant's reply after the lease",
		Variants: []string{"release", "reply", "again"}, steps: late, timeout: lateTimeout},
	{Name: "latency", Line: "everything between clients and Redis takes longer, by 20 ms or as given (latency:50ms)",
		Variants: []string{"20ms", "DURATION"}, steps: latency},
	{Name: "restart", Line: "Redis is killed and comes back empty at once",
		steps: func(_ string, p Params) []Step { return restart(p, 0) }},
	{Name: "restart-delayed", Line: "Redis is killed and comes back empty when every lease is over",
		steps: func(_ string, p Params) []Step { return restart(p, p.long()) }},
	{Name: "clock-client", Line: "a client's wall clock jumps: a waiter's forward, or the next holder's back, or a waiter's runs twice as fast",
		Variants: []string{"+", "-", "rate", "0"}, steps: clockClient},
	{Name: "clock-server", Line: "Redis' wall clock jumps forward or back by more than the lease, or (0: the control) not at all",
		Variants: []string{"+", "-", "0"}, steps: clockServer},
	{Name: "busy", Line: "Redis executes a script for longer than the lease and answers nobody",
		steps: busy},
	{Name: "node-pause", Line: "Redis is stopped (SIGSTOP) for longer than the lease",
		steps: nodePause},
	{Name: "node-crash", Line: "Redis is killed and stays away",
		steps: nodeCrash},
	{Name: "minority-loss", Line: "a minority of the independent masters is killed", Masters: true,
		steps: func(_ string, p Params) []Step { return nodeLoss((p.Nodes - 1) / 2) }},
	{Name: "majority-loss", Line: "a majority of the independent masters is killed", Masters: true,
		steps: func(_ string, p Params) []Step { return nodeLoss(p.Nodes/2 + 1) }},
}

// Needs is the topology that the fault cannot do without, or "".
func (e Entry) Needs() string {
	switch {
	case e.Failover:
		return Failover
	case e.Masters:
		return Independent
	}
	return ""
}

// All returns the table of faults. The caller may keep and change the slice.
func All() []Entry { return append([]Entry(nil), table...) }

// Find returns the row for "name" or "name:variant", and the variant to hand to Scenario.
func Find(spec string) (Entry, string, error) {
	name, variant, given := strings.Cut(spec, ":")
	var names []string
	for _, e := range table {
		names = append(names, e.Name)
		if e.Name != name {
			continue
		}
		if !given {
			if len(e.Variants) > 0 {
				variant = e.Variants[0]
			}
			return e, variant, nil
		}
		return e, variant, e.check(variant)
	}
	return Entry{}, "", fmt.Errorf("unknown nemesis %q; there are: %s", name, strings.Join(names, ", "))
}

// check says whether the fault has this variant; N in the table stands for a number above zero, DURATION for a duration.
func (e Entry) check(variant string) error {
	for _, v := range e.Variants {
		n, notNumber := strconv.Atoi(variant)
		d, notDuration := time.ParseDuration(variant)
		if v == variant || v == "N" && notNumber == nil && n > 0 || v == "DURATION" && notDuration == nil && d > 0 {
			return nil
		}
	}
	if len(e.Variants) == 0 {
		return fmt.Errorf("nemesis %q has no variants", e.Name)
	}
	return fmt.Errorf("nemesis %q has no variant %q; it has: %s", e.Name, variant, strings.Join(e.Variants, ", "))
}

// Scenario makes the fault ready for a plan. The error says why the fault and the lock do not go together.
func (e Entry) Scenario(variant string, p Params) (Scenario, error) {
	s := Scenario{Topology: Single}
	switch {
	case p.Nodes > 1 && e.Failover:
		return s, fmt.Errorf("%s needs a master with a replica; this lock uses %d independent masters", e.Name, p.Nodes)
	case p.Nodes > 1:
		s.Topology = Independent
	case e.Masters:
		return s, fmt.Errorf("%s needs a lock on independent masters, such as redlock", e.Name)
	case e.Failover:
		s.Topology = Failover
	}
	s.Steps = e.steps(variant, p)
	if e.timeout != nil {
		s.Timeout = e.timeout(variant, p)
	}
	return s, nil
}
