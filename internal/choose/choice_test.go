package choose

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/campaign/matrix"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/run/batch"
)

// TestOnlyAnOverrunIsExcused wants a hold that outlasted its lease excused where the work of the
// user does not, and nothing else: no other aim, class or property, and no lease that is unknown.
func TestOnlyAnOverrunIsExcused(t *testing.T) {
	for name, c := range map[string]struct {
		nemesis, class string
		lease          checker.Result
		found          []string
		only, sure     bool
	}{
		"a lease that is known": {"partition:stay", checker.LeaseOverrun, checker.Valid,
			[]string{"S"}, true, true},
		"a session's": {"partition:stay", checker.LeaseOverrun, checker.Unknown,
			[]string{"S"}, true, false},
		"a pause": {"pause", checker.LeaseOverrun, checker.Valid,
			[]string{"S"}, false, false},
		"a late message": {"busy:stay", checker.LateMessage, checker.Valid,
			[]string{"S"}, false, false},
		"another property beside": {"partition:stay", checker.LeaseOverrun, checker.Valid,
			[]string{"S", "O"}, false, false},
	} {
		r := matrix.Result{Nemesis: c.nemesis}
		r.Finding = batch.Finding{
			Properties: map[string]checker.Result{"S": checker.Violated, "L": c.lease},
			Classes:    map[string]string{"S": c.class},
		}
		only, sure := onlyOverrun(&matrix.Cell{Runs: []matrix.Result{r}}, c.found)
		if only != c.only || sure != c.sure {
			t.Errorf("%s: %v, %v", name, only, sure)
		}
	}
}

// TestShortWorkOutlastsNoLease asks for a job that is shorter than its lease, and for one that is
// not, or not with its pause.
func TestShortWorkOutlastsNoLease(t *testing.T) {
	const watchdog = "redisson watchdog"
	for _, c := range []struct {
		work, pause time.Duration
		remains     bool
	}{{5, 0, true}, {5, 26, false}, {0, 0, false}, {31, 0, false}} {
		all, err := Choose(Query{Faults: []string{"partition"}, Lease: 30, Work: c.work, Pause: c.pause})
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(all, func(o Choice) bool { return o.Lock == watchdog })
		if all[i].Remains != c.remains || c.remains && len(all[i].Remarks) != 1 {
			t.Errorf("%+v: %+v", c, all[i])
		}
		for _, p := range all[i].Proofs {
			if p.Fault == "partition" && c.remains && p.Runs > 0 {
				t.Errorf("it is said to be clean in %d runs", p.Runs)
			}
		}
		i = slices.IndexFunc(all, func(o Choice) bool { return o.Lock == "etcd-mutex" })
		if says := strings.Contains(strings.Join(all[i].Against, ""), "session"); all[i].Remains ||
			says != c.remains {
			t.Errorf("%+v: etcd: %v", c, all[i].Against)
		}
	}
}

// TestNoLockThatStaysTakenIsRecommended wants no lock without a lease to remain, whatever is asked,
// and a lock that some other fault leaves taken for ever to come after those that none does.
func TestNoLockThatStaysTakenIsRecommended(t *testing.T) {
	for _, faults := range [][]string{nil, {"pause"}, {"longwork"}, {"clock-server+"}, {"partition"}} {
		all, err := Choose(Query{Faults: faults})
		if err != nil {
			t.Fatal(err)
		}
		jams, remain := false, 0
		for _, c := range all {
			if !c.Remains {
				continue
			}
			remain++
			if jams && len(c.Deadlocks) == 0 {
				t.Errorf("%v: %s comes after a lock that can stay taken", faults, c.Lock)
			}
			jams = len(c.Deadlocks) > 0
			if c.Lock == "setnx" || slices.Contains(c.Deadlocks, crash) {
				t.Errorf("%v: %s remains: %v", faults, c.Lock, c.Deadlocks)
			}
		}
		if remain == 0 {
			t.Errorf("%v: none remains", faults)
		}
	}
}

// TestAnUntriedLockIsUndecided wants a lock that was not run under a fault to be undecided, and
// neither one that a fault breaks nor one that lacks what the user demands.
func TestAnUntriedLockIsUndecided(t *testing.T) {
	all, err := Choose(Query{Faults: []string{"partition"}, Fencing: true})
	if err != nil {
		t.Fatal(err)
	}
	for lock, want := range map[string]bool{"etcd-mutex defaults": true, "setnx": false,
		"redisson defaults": false} {
		i := slices.IndexFunc(all, func(o Choice) bool { return o.Lock == lock })
		if all[i].Undecided() != want {
			t.Errorf("%s: %v", lock, all[i].Against)
		}
	}
}

// TestARunSuggestsNoLockWithAnotherDefect wants no lock instead of a paused one that deadlocks, or
// frees what is not its own, under another fault.
func TestARunSuggestsNoLockWithAnotherDefect(t *testing.T) {
	for _, o := range []harness.RunOptions{{Impl: "setpx-del", Nemesis: "pause"},
		{Impl: "setnx", Nemesis: "crash"}, {Impl: "getset", Nemesis: "failover"}} {
		p, err := harness.NewPlan(o)
		if err != nil {
			t.Fatal(err)
		}
		k, err := Lookup(p)
		if err != nil || k == nil {
			t.Fatal(err)
		}
		for _, other := range k.Others {
			if len(other.Defects) > 0 || len(other.Deadlocks) > 0 || slices.Contains([]string{"setnx",
				"getset", "token-lua constant", "shedlock"}, other.Lock) {
				t.Errorf("%s: %s is suggested: %v", o.Impl, other.Lock, other.Defects)
			}
		}
		if k.Remain < len(k.Others) || o.Nemesis != "failover" && len(k.Others) == 0 {
			t.Errorf("%s: %d of %d", o.Impl, len(k.Others), k.Remain)
		}
	}
}

// TestWhatCannotBeTriedIsNamed wants a lock that a fault could not be tried on to name it, and
// not to come before its like on which it was tried.
func TestWhatCannotBeTriedIsNamed(t *testing.T) {
	all, err := Choose(Query{Faults: []string{"crash"}})
	if err != nil {
		t.Fatal(err)
	}
	if len(all[0].Unable) > 0 {
		t.Errorf("%s is first", all[0].Lock)
	}
	i := slices.IndexFunc(all, func(o Choice) bool { return o.Lock == "postgres row-pooled" })
	if !slices.Contains(all[i].Unable, "failover: the pooler leads to one server") ||
		!slices.Contains(all[i].Outages, "node-crash") {
		t.Errorf("%+v", all[i])
	}
	i = slices.IndexFunc(all, func(o Choice) bool { return o.Lock == "token-lua" })
	if len(all[i].Unable) > 0 {
		t.Errorf("faults of several masters are named: %v", all[i].Unable)
	}
}

// TestWaysOut wants the questions about other servers, and about fencing, where no lock survives a
// failover.
func TestWaysOut(t *testing.T) {
	ways, err := WaysOut(Query{Faults: []string{"crash", "failover"}, Lease: 30 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	var commands []string
	for _, w := range ways {
		commands = append(commands, w.Command)
		if len(w.Locks) == 0 && w.Closest == nil {
			t.Errorf("%s: what comes closest is not said", w.Command)
		}
	}
	want := []string{"lockbench choose --fault crash,leader-loss --ttl 30s",
		"lockbench choose --fault crash,leader-loss --ttl 30s --fencing",
		"lockbench choose --fault crash,minority-loss --ttl 30s",
		"lockbench choose --fault crash,failover --ttl 30s --fencing"}
	if !slices.Equal(commands, want) {
		t.Errorf("%q", commands)
	}
}
