package harness

import (
	"fmt"
	"math"
	"os"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/lockbench/lockbench/impls"
	"github.com/lockbench/lockbench/internal/base/advice"
	"github.com/lockbench/lockbench/internal/base/option"
	"github.com/lockbench/lockbench/nemesis"
)

// Table returns the options of the lock, and the options of a run that have bounds or the same flag
// in several verbs. If an option has no help text, each verb defines its own flag for it.
func (o *RunOptions) Table() []option.Option {
	const longest = int64(option.Longest)
	return slices.Concat(o.Settings.Table(), o.ClientSettings.Table(), []option.Option{
		{Name: "acquire-timeout", Value: &o.AcquireTimeout, Least: 1, Most: 2 * longest,
			Help: "how long one acquire waits (default 5s)"},
		{Name: "client-retries", Value: &o.ClientRetries, Most: 1000,
			Help: "how often the Redis client itself resends (default never, of a library its own)"},
		{Name: "client-timeout", Value: &o.ClientTimeout, Least: 1, Most: longest,
			Help: "dial, read and write time-out of the Redis client (default 250ms, of a library its own)"},
		{Name: "clients", Value: &o.Clients, Least: 1, Most: maxClients},
		{Name: "cycles", Value: &o.Cycles, Least: 1, Most: 1_000_000,
			Help: "cycles of each client before the run may end, with short holds (default as many as " +
				"the evidence needs)"},
		{Name: "for", Value: &o.For, Least: 1, Most: longest},
		{Name: "hold", Value: &o.Hold, Least: 1, Most: longest,
			Help: "time inside (default three polls, at least 80ms, at most a third of the lease)"},
		{Name: "impl", Value: &o.Impl,
			Help: "lock to run; '" + advice.ListImpls.String() + "' shows all"},
		{Name: "keys", Value: &o.Keys, Least: 1, Most: 100_000,
			Help: "locks that the clients contend for (default 1)"},
		{Name: "masters", Value: &o.Masters, Least: 1, Most: impls.MaxMasters,
			Help: "independent masters, for redlock (default 5)"},
		{Name: "poll", Value: &o.Poll, Least: 1, Most: longest,
			Help: "pause between attempts (default the document's, scaled by the lease)"},
		{Name: "replicas", Value: &o.Replicas, Least: 1, Most: nemesis.MaxReplicas,
			Help: "replicas of the master under a failover (default 1, and one more than must confirm " +
				"with --wait-replicas)"},
		{Name: "think", Value: &o.Think, Most: longest, Help: "mean pause between cycles"},
		{Name: "topology", Value: &o.Topology,
			Help: "single, failover, independent or, of etcd and ZooKeeper, ensemble (default what lock " +
				"and fault need)"},
		{Name: "ttl", Value: &o.TTL, Least: 1, Most: longest},
		{Name: "variant", Value: &o.Variant,
			Help: "variant of the lock, such as constant for token-lua"},
		{Name: "workload", Value: &o.Workload,
			Help: "what clients do with the lock (default mutex)"},
	})
}

// bounds holds the limits of all numbers and times of the command line, by flag. Every number is
// checked here before anything is allocated by it.
var bounds = func() map[string]option.Option {
	out := map[string]option.Option{
		// of a plan
		"rounds": number(0, 1_000_000), "backoff": duration(0),
		// of verbs other than run; most of them do many runs
		"timeout": duration(1),
		"jobs":    number(1, math.MaxInt64), "repeat": number(1, 10_000), "times": number(1, 10_000),
		"seeds": number(1, 1_000_000_000), "each": number(1, 1_000_000),
		"preemptions": number(0, 1000), "expiries": number(-1, 1000), "tries": number(1, 1000),
		"port": number(0, 65535),
	}
	for name, o := range out {
		o.Name = name
		out[name] = o
	}
	for _, o := range new(RunOptions).Table() {
		if o.Most > 0 {
			out[o.Name] = o
		}
	}
	return out
}()

func number(least, most int64) option.Option {
	return option.Option{Value: new(int), Least: least, Most: most}
}

func duration(least int64) option.Option {
	return option.Option{Value: new(time.Duration), Least: least, Most: int64(option.Longest)}
}

// InBounds returns an error of one line if the value of a flag is out of bounds. A time is in ns.
// A flag without bounds may have any value.
func InBounds(flag string, n int64) error {
	if flag == "jobs" && n > 0 {
		return bears(n)
	}
	if o, ok := bounds[flag]; ok {
		return o.InBounds(n)
	}
	return nil
}

// bounded calls InBounds for each field of a plan; the fields have the names of flags. It skips
// zero fields; Validate refuses a zero where it makes no sense.
func (p Plan) bounded() error {
	v := reflect.ValueOf(p)
	for _, f := range reflect.VisibleFields(v.Type()) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if n := v.FieldByIndex(f.Index); n.CanInt() && !n.IsZero() {
			if err := InBounds(strings.ReplaceAll(name, "_", "-"), n.Int()); err != nil {
				return err
			}
		}
	}
	return option.Check(p.ClientSettings.Table())
}

// The share of a machine that one of many runs needs at most. A real run mostly waits, and has up
// to six servers and four clients of some 12 MB each. A simulated run computes, and more than a few
// for each processor only wait for each other.
const (
	jobsOfProcessor = 32
	memoryOfJob     = 128 << 20
)

// mostJobs returns how many runs at the same time a machine bears. Memory is in bytes, or 0 if
// unknown.
func mostJobs(processors int, memory int64) int64 {
	most := int64(processors) * jobsOfProcessor
	if memory > 0 {
		most = min(most, memory/memoryOfJob)
	}
	return max(1, most)
}

// bears returns an error if this machine cannot bear so many runs at the same time. Its processes
// would stall, and a run with stalled processes says nothing.
func bears(jobs int64) error {
	most := mostJobs(runtime.GOMAXPROCS(0), memoryOfMachine())
	if jobs <= most {
		return nil
	}
	return fmt.Errorf(
		"--jobs is %d; this machine bears %d (%d for each processor, one for each %d MB)", jobs, most,
		jobsOfProcessor, memoryOfJob>>20)
}

// memoryOfMachine returns the size of the memory in bytes, or 0 on systems other than Linux.
func memoryOfMachine() int64 {
	text, _ := os.ReadFile("/proc/meminfo")
	for line := range strings.Lines(string(text)) {
		var kb int64
		if n, _ := fmt.Sscanf(line, "MemTotal: %d kB", &kb); n == 1 {
			return kb << 10
		}
	}
	return 0
}
