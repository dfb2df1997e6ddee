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
	Hold    time.Duration // how long a client stays inside
	Poll    time.Duration // between a client's attempts
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
	Sentinel bool     // it needs sentinels that promote
	steps    func(variant string, p Params) []Step
	timeout  func(variant string, p Params) time.Duration // nil: the plan's own
}

// table is the closed list of faults.
var table = []Entry{
	{Name: "none", Line: "no fault: the clients only contend",
		steps: func(string, Params) []Step { return nil }},
	{Name: "failover", Line: "the master dies holding a grant, or a release, that its replica never heard of, and the replica is promoted (after: and the first holder releases when another is inside); or (healthy: the control) it has heard",
		Variants: []string{"cut", "delayed", "after", "between", "release", "healthy"}, Failover: true, steps: failover},
	{Name: "failover-sentinel", Line: "as failover, but three sentinels notice and promote; or (alive) the old master lives on with its clients, cut off from all others",
		Variants: []string{"cut", "alive", "healthy"}, Sentinel: true, steps: failoverSentinel},
	{Name: "race", Line: "no fault: a client acts on what it saw when the lock is another's already (nil: it saw nothing; finally: it releases what it never had)",
		Variants: []string{"nil", "finally"}, steps: race},
	{Name: "overrun", Line: "no fault: the holder works for longer than its lease, and releases when another is inside",
		steps: overrun},
	{Name: "pause", Line: "the holder is stopped (SIGSTOP) for longer than the lease, or between the commands of its release, or for a moment (short: the control)",
		Variants: []string{"long", "between", "short"}, steps: pause},
	{Name: "crash", Line: "a client is killed while it holds the lock (takeover: and two others want its place), or between SETNX and EXPIRE, or (crash:N) after its N-th Redis command",
		Variants: []string{"holding", "takeover", "expire", "N"}, steps: crash},
	{Name: "partition", Line: "the holder is cut off from Redis until it has given up its release, or the lease is over (stay), or between SETNX and EXPIRE; FIN and RST still pass",
		Variants: []string{"both", "requests", "replies", "refuse", "reset", "stay", "expire"}, steps: partition, timeout: shortTimeout},
	{Name: "request-loss", Line: "the holder's release, or an acquire's first command, is lost on its way to Redis",
		Variants: []string{"release", "acquire"}, steps: loss(Requests), timeout: shortTimeout},
	{Name: "reply-loss", Line: "the same is executed, but its reply is lost",
		Variants: []string{"release", "acquire"}, steps: loss(Replies), timeout: shortTimeout},
	{Name: "late", Line: "a message is late: a release (again: its client has the lock again), a grant's reply, EXPIRE's, the reply to a release's first command, an acquire, or (vote) what undoes a failed attempt on one of several masters",
		Variants: []string{"release", "again", "reply", "expire", "check", "request", "vote"}, steps: late, timeout: lateTimeout},
	{Name: "latency", Line: "everything between clients and Redis takes longer, by 20 ms or as given (latency:50ms)",
		Variants: []string{"20ms", "DURATION"}, steps: latency},
	{Name: "restart", Line: "Redis is killed in a hold, or between the commands of a release, and comes back empty at once",
		Variants: []string{"holding", "between"}, steps: restart},
	{Name: "restart-delayed", Line: "Redis is killed and comes back empty when every lease is over (stay: but the holder's work is not)",
		Variants: []string{"holding", "stay"}, steps: restartDelayed},
	{Name: "clock-client", Line: "a client's wall clock jumps: a waiter's forward, or the next holder's back, or a waiter's runs twice as fast; or (0: the control) not at all",
		Variants: []string{"+", "-", "rate", "0"}, steps: clockClient},
	{Name: "clock-server", Line: "Redis' wall clock jumps forward or back by more than the lease, or forward between the commands of a release, or (0: the control) not at all",
		Variants: []string{"+", "-", "between", "0"}, steps: clockServer},
	{Name: "busy", Line: "Redis executes one command until the lease is over and answers nobody, or a script and answers -BUSY (kill); the holder works on, or stays inside, or is between the commands of its release",
		Variants: []string{"holding", "stay", "between", "kill"}, steps: busy, timeout: patient},
	{Name: "node-pause", Line: "Redis is stopped (SIGSTOP) for longer than the lease; the rest as with busy",
		Variants: []string{"holding", "stay", "between"}, steps: nodePause, timeout: patient},
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
	case e.Sentinel:
		return Sentinel
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
	case p.Nodes > 1 && (e.Failover || e.Sentinel):
		return s, fmt.Errorf("%s needs a master with a replica; this lock uses %d independent masters", e.Name, p.Nodes)
	case p.Nodes > 1:
		s.Topology = Independent
	case e.Masters:
		return s, fmt.Errorf("%s needs a lock on independent masters, such as redlock", e.Name)
	case e.Failover:
		s.Topology = Failover
	case e.Sentinel:
		s.Topology = Sentinel
	}
	if e.timeout != nil {
		s.Timeout = e.timeout(variant, p)
		if s.Timeout > 0 {
			p.Timeout = s.Timeout
		}
	}
	s.Steps = e.steps(variant, p)
	return s, nil
}
