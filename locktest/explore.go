package locktest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/cryptotest"
	"time"

	"github.com/lockbench/lockbench/adapters"
	"github.com/lockbench/lockbench/internal/foreign/linked"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/search/explore"
	"github.com/lockbench/lockbench/nemesis"
	"github.com/lockbench/lockbench/workloads"
)

// Options control the search of Explore. The zero value is a search of ten seconds under
// DefaultFaults.
type Options struct {
	// Faults are the names of faults, as in `lockbench list nemeses`: "none", "crash",
	// "crash:holding". Default: DefaultFaults.
	Faults []string
	// For is the real time of the whole search; with `go test -short` a tenth of it. Each fault gets
	// the same part. Default: 10s. Making counterexamples small takes additional time.
	For time.Duration
	// Seeds bounds the runs under each fault. Default: as many as the time allows.
	Seeds int
	// Seed is the first seed. The same seeds try the same runs.
	Seed uint64
	// Clients is the number of clients that contend for the lock. Default: 3.
	Clients int
	// Properties are the letters of the properties that must hold (docs/design.md, The properties).
	// Default: all that the lock can guarantee. S says that no two clients are inside at once. For a
	// lock with a lease, Explore judges it only under the fault "none", because a lease keeps other
	// clients out for no longer than it lasts. U and E are not judged: the clients guard no resource,
	// and take the lock once before they release it.
	Properties []string
	// Dir is the directory for counterexamples. Default: testdata/locktest.
	Dir string
}

// DefaultFaults returns the faults that a lock with a lease on one Redis can survive. Others, such
// as "failover", "restart" and "clock-server", break every such lock; ask for them to see how.
func DefaultFaults() []string {
	return []string{"none", "crash", "pause", "partition", "request-loss", "reply-loss", "late"}
}

// The defaults of a Lock and of Options.
const (
	defaultTTL  = time.Second
	defaultPoll = 100 * time.Millisecond
	defaultFor  = 10 * time.Second
	defaultDir  = "testdata/locktest"
)

// replayVariable names a counterexample to repeat instead of a search.
const replayVariable = "LOCKTEST_REPLAY"

// Explore searches for a run that breaks the lock, with a subtest for each fault. A failed subtest
// prints the story step by step, the seed, the file of the counterexample and the command that
// replays it. A subtest is skipped if the simulator cannot inflict the fault on the lock. A passed
// subtest logs (go test -v) the number of runs. That is not a proof: n runs without a violation
// show, with 95 % confidence, that at most 3 in n violate.
//
// Parallel tests cannot use Explore, because it seeds the random numbers of the whole process.
func Explore(t *testing.T, l Lock, o Options) {
	t.Helper()
	if l.Key != "" && !strings.Contains(l.Key, "{key}") {
		t.Fatalf("locktest: Lock.Key is %q; it must contain {key}", l.Key)
	}
	if l.New == nil {
		t.Fatal("locktest: Lock.New is nil; it makes the lock of one client")
	}
	l.Name = name(cmp.Or(l.Name, t.Name()))
	l.TTL, l.Poll = cmp.Or(l.TTL, defaultTTL), cmp.Or(l.Poll, defaultPoll)
	repeatable(t)
	workloads.Link(l.Name, linked.Repeatable(workloads.Linkage{Open: l.open, Lease: max(l.TTL, 0),
		Key: l.key()}))
	if file := os.Getenv(replayVariable); file != "" {
		replay(t, file)
		return
	}
	if len(o.Faults) == 0 {
		o.Faults = DefaultFaults()
	}
	o.For = cmp.Or(o.For, defaultFor) / time.Duration(len(o.Faults))
	if testing.Short() {
		o.For /= 10
	}
	told := map[string]string{}
	for _, fault := range o.Faults {
		t.Run(fault, func(t *testing.T) { l.searchFault(t, fault, o, told) })
	}
}

// key returns the function that names the lock's key, or nil if it is the name itself.
func (l Lock) key() func(string) string {
	if l.Key == "" {
		return nil
	}
	return func(name string) string { return strings.ReplaceAll(l.Key, "{key}", name) }
}

// repeatable seeds the random numbers of the process until the end of the test.
func repeatable(t *testing.T) {
	cryptotest.SetGlobalRandom(t, 1)
	t.Setenv("GODEBUG", linked.Godebug())
}

// name returns a name that is valid for files and for a table of locks.
func name(s string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(`/\: #`, r) {
			return '-'
		}
		return r
	}, s)
}

// fewest is the number of runs that a search makes although its budget is over: fewer may show no
// two clients at the lock.
const fewest = 20

// searchFault searches for a violation under one fault. Told has the fault under which each cause
// was told; a cause is told once.
func (l Lock) searchFault(t *testing.T, fault string, o Options, told map[string]string) {
	t.Helper()
	s := l.search(fault, o)
	hits, progress, err := s.Find(t.Context())
	if err == nil && len(hits) == 0 && progress.Runs < fewest { // the machine is busy
		s.Budget, s.Seeds = 0, fewest
		hits, progress, err = s.Find(t.Context())
	}
	switch {
	case errors.As(err, new(nemesis.ImpossibleError)):
		t.Skipf("the simulator cannot inflict %s on this lock: %v", fault, err)
	case err != nil:
		t.Fatalf("nothing could be searched: %v", err)
	case progress.Hung != "":
		t.Fatalf("D is violated under %s: %s", fault, progress.Hung)
	case progress.Untouched != "", len(hits) == 0 && progress.Doubt() != "":
		t.Fatalf("the search under %s shows too little: %s", fault, progress.Doubt())
	case len(hits) == 0:
		t.Log(progress.Rarer() + "; judged: " + progress.Letters(true) + unasked(s.Properties))
		return
	}
	if first := told[kind(hits[0])]; first != "" {
		t.Fatalf("%s: the subtest %q failed with the same kind of violation, and tells it",
			kind(hits[0]), first)
	}
	told[kind(hits[0])] = fault
	l.tell(t, explore.Findings{Impl: l.Name, Nemesis: fault, Progress: progress,
		Rate: progress.Rate(), Again: replayCommand(t), Verbose: true}, hits, o)
}

// unasked names S if a search without a violation did not ask about it, as usual for a lock with a
// lease under a fault.
func unasked(asked []string) string {
	if slices.Contains(asked, history.MutualExclusion) {
		return ""
	}
	return "; not asked: S (Options.Properties asks): no lease keeps it if its holder is stopped " +
		"for longer"
}

// kind returns the property that a hit violates, and the class.
func kind(h explore.Hit) string { return strings.TrimSuffix(h.Property+": "+h.Class, ": ") }

// tell makes hits small, keeps them, and fails the test with their story.
func (l Lock) tell(t *testing.T, out explore.Findings, hits []explore.Hit, o Options) {
	t.Helper()
	keeper := explore.Keeper{Store: cmp.Or(o.Dir, defaultDir)}
	found, err := keeper.Keep(context.WithoutCancel(t.Context()), hits)
	if err != nil {
		t.Fatalf("%s is violated under %s with seed %d (%s), but: %v", hits[0].Property, out.Nemesis,
			hits[0].Case.Plan.Seed, hits[0].Explanation, err)
	}
	var story strings.Builder
	out.Found = found
	_ = out.Text(&story) // a Builder never fails
	t.Errorf("%sSeed:   %d", story.String(), hits[0].Case.Plan.Seed)
}

// search returns the search under one fault.
func (l Lock) search(fault string, o Options) explore.Search {
	decisive := len(o.Properties) == 0
	if decisive {
		o.Properties = l.promises(fault)
	}
	m := l.manifest()
	return explore.Search{
		Options: harness.RunOptions{Linked: &m, Nemesis: fault, Seed: o.Seed, Clients: o.Clients,
			TTL: max(l.TTL, 0), Poll: l.Poll, Masters: l.Servers},
		Properties: o.Properties, Decisive: decisive, Schedule: explore.Random,
		Moments: explore.Both, Seeds: o.Seeds,
		Budget: o.For, Jobs: 1,
	}
}

// promises returns the properties that the lock must have under a fault. The clients of a search
// guard no resource, which U is about, and enter once, so that E does not apply.
func (l Lock) promises(fault string) (all []string) {
	if l.TTL <= 0 || fault == "none" {
		all = append(all, history.MutualExclusion)
	}
	all = append(all, history.LeaseExclusion, history.OwnerRelease, history.Deadlock)
	if l.Fencing {
		all = append(all, history.Fencing)
	}
	return append(all, history.Validity)
}

// manifest describes the lock in the form of an adapter's manifest.
func (l Lock) manifest() adapters.Manifest {
	m := adapters.Manifest{Name: l.Name, Language: "go", Topology: "single", Clock: "none",
		Declares: adapters.Declares{Lease: l.TTL > 0, Validity: l.Validity, Fencing: l.Fencing,
			Watchdog: l.Renews, MinimumHold: adapters.Duration(l.MinimumHold)},
		Defaults: adapters.Defaults{Poll: adapters.OwnTime(l.Poll)}, Key: l.Key}
	if l.Servers > 1 {
		m.Topology = "independent"
	}
	return m
}

// replayCommand returns the command that repeats a counterexample of this test, without its file.
func replayCommand(t *testing.T) string {
	test, _, _ := strings.Cut(t.Name(), "/")
	return fmt.Sprintf("%s=%%s go test -run '^%s$' .", replayVariable, test)
}
