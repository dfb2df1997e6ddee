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
	// a master n0 with replicas n1 and n2, and three sentinels that promote
	Sentinel = "sentinel"
)

// Params is what a fault needs to know of the plan: a pause must outlast the lease that it attacks.
type Params struct {
	TTL     time.Duration
	Hold    time.Duration // how long a client stays inside
	Poll    time.Duration // between a client's attempts
	Clients int
	// independent masters that the lock uses; 1 for a lock that uses one Redis
	Nodes        int
	Timeout      time.Duration // of the clients' Redis connections
	Topology     string        // that was asked for; "": what the fault needs
	Seed         uint64        // of what is drawn
	Capabilities Capabilities  // what is drawn from; the zero value has no limits
}

// Scenario is a fault made ready for one plan.
type Scenario struct {
	Topology string
	Replicas int // behind each independent master
	Steps    []Step
	Timeout  time.Duration // the clients' Redis time-out that the scenario needs; 0: the plan's own
	Aimed    int           // how many of the steps that are aimed must hit
}

// Variant is a form of a fault.
type Variant struct {
	Name string // N stands for a number above zero, DURATION for a duration
	Line string // what is different, in a few words
	When string // as Entry.When, if the fault's own does not say it
	// the same schedule without its sting: nothing may be found that is not found without any fault
	Control bool
}

// Entry is a row of the table of faults.
type Entry struct {
	Name     string
	When     string    // completes "Can two clients hold this lock at once …?", for headlines
	Line     string    // what it does, in one line
	Lasts    string    // for how long, or how much, by default
	Variants []Variant // what may follow the name after a colon; the first is the default
	Failover bool      // it needs a replica to promote
	Masters  bool      // it needs independent masters
	Sentinel bool      // it needs sentinels that promote
	steps    func(variant string, p Params) []Step
	timeout  func(variant string, p Params) time.Duration // nil: the plan's own
	// instead of steps, where also the topology is drawn
	draw func(variant string, p Params) Scenario
}

// table is the closed list of faults.
var table = []Entry{
	{Name: "none", When: "when nothing goes wrong",
		Line:  "no fault: the clients only contend",
		steps: func(string, Params) []Step { return nil }},
	{Name: "failover", When: "when the master fails over",
		Line: "the master dies holding what its replica never heard of, and the replica is " +
			"promoted; of independent masters it is one",
		Failover: true, Variants: []Variant{
			{Name: "cut", Line: "a grant, the replication link drops it"},
			{Name: "delayed", Line: "a grant, the replication link is 50 ms late"},
			{Name: "after", Line: "a grant, and its holder releases when another is inside"},
			{Name: "between", Line: "a grant, and the holder is between the commands of its release"},
			{Name: "release", Line: "a release"},
			{Name: "healthy", Line: "nothing: the replica has heard everything",
				When: "when the master fails over to a replica that is up to date", Control: true},
		}, steps: failover},
	{Name: "failover-sentinel", When: "when Sentinel fails the master over",
		Line:  "as failover, but three sentinels notice and promote",
		Lasts: "an election of about two seconds", Sentinel: true, Variants: []Variant{
			{Name: "cut", Line: "the replication links drop a grant"},
			{Name: "alive", Line: "the old master lives on with its clients, cut off from all others"},
			{Name: "healthy", Line: "the replicas have heard everything", Control: true},
		}, steps: failoverSentinel},
	{Name: "race", When: "when nothing fails and clients only race",
		Line: "no fault: a client acts on what it saw when the lock is another's already",
		Variants: []Variant{
			{Name: "nil", Line: "it saw that the lock is free"},
			{Name: "finally", Line: "it releases in a finally block what it was never granted"},
		}, steps: race},
	{Name: "overrun", When: "when a holder works for longer than its lease",
		Line: "no fault: the holder works for longer than its lease, " +
			"and releases when another is inside",
		Lasts: "until another is granted the lock",
		steps: overrun},
	{Name: "pause", When: "when a client is paused",
		Line:  "the holder is stopped (SIGSTOP)",
		Lasts: "until another is granted the lock, at most 1.5 leases", Variants: []Variant{
			{Name: "long", Line: "for longer than the lease"},
			{Name: "between", Line: "for longer than the lease, between the commands of its release"},
			{Name: "short", Line: "for a tenth of the lease",
				When: "when a client is paused for a moment", Control: true},
		}, steps: pause},
	{Name: "crash", When: "when a client crashes",
		Line: "a client is killed and stays away", Variants: []Variant{
			{Name: "holding", Line: "while it holds the lock"},
			{Name: "takeover",
				Line: "while it holds the lock, and two others want its place at the same time"},
			{Name: "expire", Line: "between SETNX and EXPIRE"},
			{Name: "N", Line: "client 0, after its N-th Redis command, whatever that was"},
		}, steps: crash},
	{Name: "partition", When: "when the network splits",
		Line:  "the holder is cut off from Redis; FIN and RST still pass",
		Lasts: "until it has given up its release", Variants: []Variant{
			{Name: "both", Line: "nothing passes (a black hole)"},
			{Name: "requests", Line: "what it sends does not arrive"},
			{Name: "replies", Line: "what Redis answers does not arrive"},
			{Name: "refuse", Line: "its connections are closed, new ones refused"},
			{Name: "reset", Line: "its connections are reset as soon as it sends something"},
			{Name: "stay", Line: "nothing passes until the lease is over and another is inside"},
			{Name: "expire", Line: "nothing passes, from between SETNX and EXPIRE on"},
		}, steps: partition, timeout: shortTimeout},
	{Name: "disconnect", When: "when connections are closed",
		Line: "a client's connections are closed (CLIENT KILL, an idle time-out); new ones are taken",
		Variants: []Variant{
			{Name: "holding", Line: "the holder's, in a hold"},
			{Name: "between", Line: "the holder's, between the commands of its release"},
			{Name: "waiting", Line: "a waiter's"},
		}, steps: disconnect},
	{Name: "request-loss", When: "when requests are lost",
		Line: "a command is lost on its way to Redis", Variants: []Variant{
			{Name: "release", Line: "the holder's release"},
			{Name: "acquire", Line: "an acquire's first command"},
		}, steps: loss("request-loss"), timeout: shortTimeout},
	{Name: "reply-loss", When: "when replies are lost",
		Line: "a command is executed, its reply is lost", Variants: []Variant{
			{Name: "release", Line: "the holder's release"},
			{Name: "acquire", Line: "an acquire's first command"},
		}, steps: loss("reply-loss"), timeout: shortTimeout},
	{Name: "late", When: "when a message arrives late",
		Line: "a message is held back and delivered after an event, while newer connections pass",
		Variants: []Variant{
			{Name: "release", Line: "a release, when another is inside"},
			{Name: "again", Line: "a release, when the same client has the lock again"},
			{Name: "reply", Line: "a grant's reply, when the lease is over and another is inside"},
			{Name: "expire", Line: "the same for the reply to EXPIRE"},
			{Name: "check", Line: "the reply to a release's first command, when another is inside"},
			{Name: "request", Line: "an acquire, when its client has given up"},
			{Name: "vote",
				Line: "on one of several masters, what undoes a failed attempt, when a further " +
					"attempt has that master's vote"},
		}, steps: late, timeout: lateTimeout},
	{Name: "latency", When: "when the network is slow",
		Line: "everything between clients and Redis takes longer, for the whole run",
		Variants: []Variant{
			{Name: "20ms", Line: "by 20 ms each way"}, {Name: "DURATION", Line: "by as much each way"},
		}, steps: latency},
	{Name: "restart", When: "when Redis restarts",
		Line: "Redis is killed and comes back at once, empty", Variants: []Variant{
			{Name: "holding", Line: "in a hold"},
			{Name: "between", Line: "between the commands of a release"},
			{Name: "disk",
				Line: "in a hold, and it has what is on its disk (see --redis-config appendonly yes)"},
		}, steps: restart},
	{Name: "restart-delayed", When: "when Redis restarts only after the lease",
		Line:  "Redis is killed and comes back empty when every lease is over",
		Lasts: "1.3 leases", Variants: []Variant{
			{Name: "holding", Line: "and the holder's work, too"},
			{Name: "stay", Line: "but the holder's work is not"},
		}, steps: restartDelayed},
	{Name: "clock-client", When: "when a client's clock is wrong",
		Line: "a client's wall clock is wrong", Lasts: "by a lease and 500 ms",
		Variants: []Variant{
			{Name: "+", Line: "a waiter's jumps forward", When: "when a client's clock jumps ahead"},
			{Name: "-", Line: "the next holder's jumps back", When: "when a client's clock jumps back"},
			{Name: "rate", Line: "a waiter's runs twice as fast",
				When: "when a client's clock runs at a wrong rate"},
			{Name: "slow", Line: "the next holder's runs at a tenth of the speed"},
			{Name: "0", Line: "a waiter's jumps by nothing",
				When: "when no clock is moved", Control: true},
		}, steps: clockClient},
	{Name: "clock-server", When: "when a server's clock is wrong",
		Line:  "the wall clock of every Redis jumps in a hold",
		Lasts: "by a lease and 500 ms", Variants: []Variant{
			{Name: "+", Line: "forward", When: "when a server's clock jumps ahead"},
			{Name: "-", Line: "back", When: "when a server's clock jumps back"},
			{Name: "between", Line: "forward, between the commands of a release"},
			{Name: "0", Line: "by nothing", When: "when no clock is moved", Control: true},
		}, steps: clockServer},
	{Name: "busy", When: "when a script keeps Redis busy",
		Line:  "Redis executes one command and answers no client",
		Lasts: "a lease, with stay and between 1.3", Variants: []Variant{
			{Name: "holding", Line: "and the holder works on"},
			{Name: "stay", Line: "and the holder stays inside"},
			{Name: "between", Line: "between the commands of a release"},
			{Name: "kill", Line: "a script, and answers -BUSY until it is killed"},
		}, steps: busy, timeout: patient},
	{Name: "node-pause", When: "when a Redis is paused",
		Line:  "Redis is stopped (SIGSTOP)",
		Lasts: "a lease, with stay and between 1.3", Variants: []Variant{
			{Name: "holding", Line: "and the holder works on"},
			{Name: "stay", Line: "and the holder stays inside"},
			{Name: "between", Line: "between the commands of a release"},
		}, steps: nodePause, timeout: patient},
	{Name: "node-crash", When: "when a Redis crashes",
		Line:  "every Redis that the lock uses is killed in a hold and stays away",
		steps: gone("node-crash", Every)},
	{Name: "minority-loss", When: "when a minority of the Redis nodes loses its data",
		Line: "a minority of the independent masters is killed", Masters: true,
		steps: gone("minority-loss", Minority)},
	{Name: "majority-loss", When: "when a majority of the Redis nodes loses its data",
		Line: "a majority of the independent masters is killed", Masters: true,
		steps: gone("majority-loss", Majority)},
	{Name: "random", When: "under random faults",
		Line: "several faults, drawn by the seed from all that the environment offers, at drawn " +
			"times and events",
		Lasts: "up to 1.5 leases each", Variants: []Variant{
			{Name: "4", Line: "four of them"}, {Name: "N", Line: "so many"},
		}, draw: random},
}

// When completes "Can two clients hold this lock at once …?" for a fault by its name, with or
// without a variant; "" if it is not in the table.
func When(spec string) string {
	e, variant, _ := Find(spec)
	for _, v := range e.Variants {
		if v.Name == variant && v.When != "" && strings.Contains(spec, ":") {
			return v.When
		}
	}
	return e.When
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
			return e, e.Default(), nil
		}
		return e, variant, e.check(variant)
	}
	return Entry{}, "", fmt.Errorf("unknown nemesis %q; there are: %s", name,
		strings.Join(names, ", "))
}

// Default is the variant that is meant where none is named; "" where there are none.
func (e Entry) Default() string {
	if len(e.Variants) == 0 {
		return ""
	}
	return e.Variants[0].Name
}

// check says whether the fault has this variant.
func (e Entry) check(variant string) error {
	var names []string
	for _, v := range e.Variants {
		n, notNumber := strconv.Atoi(variant)
		d, notDuration := time.ParseDuration(variant)
		if v.Name == variant || v.Name == "N" && notNumber == nil && n > 0 || v.Name == "DURATION" &&
			notDuration == nil && d > 0 {
			return nil
		}
		names = append(names, v.Name)
	}
	if len(e.Variants) == 0 {
		return fmt.Errorf("nemesis %q has no variants", e.Name)
	}
	return fmt.Errorf("nemesis %q has no variant %q; it has: %s", e.Name, variant,
		strings.Join(names, ", "))
}

// Scenario makes the fault ready for a plan. The error says why the fault and the lock do not go
// together.
func (e Entry) Scenario(variant string, p Params) (Scenario, error) {
	s := Scenario{Topology: Single}
	switch {
	case p.Nodes > 1 && e.Sentinel:
		return s, fmt.Errorf("%s needs a master with replicas; this lock uses %d independent masters",
			e.Name, p.Nodes)
	case p.Nodes > 1:
		s.Topology = Independent
		if e.Failover {
			s.Replicas = 1
		}
	case e.Masters:
		return s, fmt.Errorf("%s needs a lock on independent masters, such as redlock", e.Name)
	case e.Failover:
		s.Topology = Failover
	case e.Sentinel:
		s.Topology = Sentinel
	}
	if e.draw != nil {
		return e.draw(variant, p), nil
	}
	if e.timeout != nil {
		s.Timeout = e.timeout(variant, p)
		if s.Timeout > 0 {
			p.Timeout = s.Timeout
		}
	}
	s.Steps = e.steps(variant, p)
	for _, step := range s.Steps {
		if step.Aimed {
			s.Aimed++
		}
	}
	return s, nil
}
