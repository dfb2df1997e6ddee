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
// not to come before its like on which it was tried and stayed clean.
func TestWhatCannotBeTriedIsNamed(t *testing.T) {
	all, err := Choose(Query{Faults: []string{"crash"}})
	if err != nil {
		t.Fatal(err)
	}
	at := func(lock string) int {
		return slices.IndexFunc(all, func(o Choice) bool { return o.Lock == lock })
	}
	if at("etcd-mutex defaults") < at("etcd-mutex") ||
		at("postgres lease-client") < at("postgres lease") {
		t.Error("a lock comes before its like that stayed clean under more faults")
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

// TestTheBestLocksComeFirst wants the locks with many clean runs first, and of equals the order
// that an expert would give: fencing tokens that last, then locks that end with a session, then
// leases.
// A lock with defects of its own comes after all of them, and one that can stay taken last.
func TestTheBestLocksComeFirst(t *testing.T) {
	all, err := Choose(Query{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range Best(all) {
		got = append(got, c.Lock)
	}
	want := []string{"token-lua", "setnx-expire-lua", "etcd-mutex", "curator", "postgres",
		"mariadb"}
	if !slices.Equal(got, want) {
		t.Errorf("the best locks are %q, not %q", got, want)
	}
	at := func(lock string) int {
		return slices.IndexFunc(all, func(o Choice) bool { return o.Lock == lock })
	}
	for _, pair := range [][2]string{
		{"token-lua", "bsm-redislock"},                     // 20 of 20 before 1 of 1
		{"token-lua", "redlock per attempt"},               // S alone before a double grant
		{"redis-py", "redsync"},                            // the same
		{"redsync fail-fast", "redsync defaults"},          // many faults before four
		{"redisson defaults", "setpx-del"},                 // untried before a defect
		{"redlock per attempt", "redisson multi-watchdog"}, // a defect before a deadlock
		{"shedlock", "go-zookeeper sequential"},            // even with tokens
	} {
		if at(pair[0]) > at(pair[1]) {
			t.Errorf("%s comes after %s", pair[0], pair[1])
		}
	}
}

// TestADefectIsMoreThanAnEndedLease wants a lock to be flawed whose two holders both had a lease,
// or may have had one, and none whose holder was late, lost its session, or was forgotten by a
// server.
func TestADefectIsMoreThanAnEndedLease(t *testing.T) {
	for _, c := range []struct {
		letter, class string
		lease         checker.Result
		grave         bool
	}{
		{"S", checker.LeaseOverrun, checker.Valid, false},
		{"S", checker.SessionLost, checker.Unknown, false},
		{"S", checker.LateMessage, checker.Valid, false},
		{"S", checker.DoubleGrant, checker.Unknown, true},
		{"S", checker.LostByServer, checker.Unknown, false},
		{"L", checker.LostByServer, checker.Violated, false},
		{"L", checker.DoubleGrant, checker.Violated, true},
		{"O", checker.ReleasedByNonOwner, checker.Valid, true},
		{"D", "", checker.Valid, true},
		{"R", "", checker.Valid, false},
	} {
		r := matrix.Result{Nemesis: "pause", Finding: batch.Finding{
			Properties: map[string]checker.Result{"L": c.lease}, Classes: map[string]string{}}}
		r.Properties[c.letter], r.Classes[c.letter] = checker.Violated, c.class
		cell := &matrix.Cell{Runs: []matrix.Result{r},
			Properties: []matrix.Property{{Name: c.letter, Found: checker.Violated}}}
		if grave(cell) != c.grave {
			t.Errorf("%+v", c)
		}
	}
}

// TestTheRoomDecidesWhatIsNamed wants as many faults in the last column as fit, at least one, and
// those with the same letters together, S alone last.
func TestTheRoomDecidesWhatIsNamed(t *testing.T) {
	c := Choice{Proofs: []Proof{{Fault: "none", Runs: 1}, {Fault: "crash", Runs: 20},
		{Fault: "late", Runs: 3}}, Breaks: []string{"pause: S", "restart: SL", "busy: S", "failover: SL"}}
	for room, want := range map[int]string{
		0:  "3 of 3; SL: restart, failover; S: pause, busy",
		40: "3 of 3; SL: restart, failover; S: pause +1",
		30: "3 of 3; SL: restart, failover +2",
		10: "3 of 3; SL: restart +3",
	} {
		if room > 0 && len(want) > room {
			room = len(want)
		}
		if got := c.Evidence(room); got != want {
			t.Errorf("%d: %q, not %q", room, got, want)
		}
	}
	c = Choice{Untried: []string{"late"}, unable: 2}
	if got := c.Evidence(0); got != "–; ?: 3" {
		t.Errorf("%q", got)
	}
}

// TestAWayWithoutALockComesLast wants a way that no lock is close to after one that some lock is.
func TestAWayWithoutALockComesLast(t *testing.T) {
	if none, one := (Way{}), (Way{Closest: &Choice{Against: []string{"x"}}}); none.against() <=
		one.against() {
		t.Errorf("%d, and %d", none.against(), one.against())
	}
}

// TestWaysOut wants the questions about other servers, and about fencing with them, where no lock
// survives a failover. Fencing alone is no way out, since it leaves no lock.
func TestWaysOut(t *testing.T) {
	ways, err := WaysOut(Query{Faults: []string{"crash", "failover"}, Lease: 30 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	var commands []string
	for _, w := range ways {
		commands = append(commands, w.Command)
		if len(w.Locks) == 0 {
			t.Errorf("%s: no lock remains", w.Command)
		}
	}
	want := []string{"lockbench choose --fault crash,leader-loss --ttl 30s",
		"lockbench choose --fault crash,leader-loss --ttl 30s --fencing",
		"lockbench choose --fault crash,minority-loss --ttl 30s"}
	if !slices.Equal(commands, want) {
		t.Errorf("%q", commands)
	}
}

// TestNothingUntriedLooksClean wants more clean runs to come first, whatever a lock gives, and the
// letters that no run of a lock could judge to be named.
func TestNothingUntriedLooksClean(t *testing.T) {
	for _, faults := range [][]string{nil, {"partition"}, {"late"}, {"busy"}} {
		all, err := Choose(Query{Faults: faults})
		if err != nil {
			t.Fatal(err)
		}
		for i, c := range all[1:] {
			before := all[i]
			if c.Remains && before.quality.level == c.quality.level && before.runs() < c.runs() {
				t.Errorf("%v: %s with %d clean runs comes before %s with %d", faults, before.Lock,
					before.runs(), c.Lock, c.runs())
			}
			if unseen := c.Library != "" && strings.Contains(c.Needs, "etcd"); unseen &&
				c.Remains && !slices.Equal(c.Unjudged, []string{"L", "O"}) {
				t.Errorf("%v: of %s %v was not judged", faults, c.Lock, c.Unjudged)
			}
		}
	}
}

// TestADemandIsNoFault: locks that lack what is asked for stay clean all the same, and the answer
// says how many there would be without the demand.
func TestADemandIsNoFault(t *testing.T) {
	q := Query{Faults: []string{"partition"}, Told: true}
	all, err := Choose(q)
	if err != nil {
		t.Fatal(err)
	}
	if says := Tally(q, all); strings.HasPrefix(says, "0 ") ||
		!strings.HasSuffix(says, ", 0 of them with what you ask for.") {
		t.Errorf("%s", says)
	}
	if says := Answer(q, all); !strings.Contains(says, "gives what you ask for") {
		t.Errorf("%s", says)
	}
	if says := TellRest(all, nil); !strings.Contains(says, " that lack what you ask for") {
		t.Errorf("%s", says)
	}
	ways, err := WaysOut(q)
	if err != nil {
		t.Fatal(err)
	}
	if len(ways) == 0 || strings.Contains(ways[0].Command, "--told") || len(ways[0].Locks) == 0 {
		t.Errorf("the first way out keeps the demand: %+v", ways)
	}
}

// TestAnOptimisticLockIsForNoLongJob: it holds nothing while its client works.
func TestAnOptimisticLockIsForNoLongJob(t *testing.T) {
	for _, c := range []struct {
		query   Query
		remains bool
	}{
		{Query{Lease: time.Second, Work: 2 * time.Second}, false},
		{Query{Lease: 2 * time.Second, Work: time.Second}, true},
	} {
		all, err := Choose(c.query)
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(all, func(o Choice) bool { return o.Lock == "db-version mariadb" })
		if all[i].Remains != c.remains || !c.remains && !slices.Contains(all[i].Against, Holdless) {
			t.Errorf("%+v: %v", c.query, all[i].Against)
		}
	}
}

// TestAProofJudgesWhatTheQueryAsks: an outage counts only with --no-outage.
func TestAProofJudgesWhatTheQueryAsks(t *testing.T) {
	for _, q := range []Query{{}, {NoOutage: true}, {NoOutage: true, Fencing: true}} {
		all, err := Choose(q)
		if err != nil || len(all[0].Proofs) == 0 {
			t.Fatal(err, all[0])
		}
		_, asked, _ := strings.Cut(all[0].Proofs[0].Command, "--properties ")
		if judged := strings.Contains(asked, "A"); judged != q.NoOutage {
			t.Errorf("%+v: %s", q, all[0].Proofs[0].Command)
		}
	}
}

// TestNoLockOutlivesItsServers: nothing is recommended where the servers are dead for good and no
// client may be kept out.
func TestNoLockOutlivesItsServers(t *testing.T) {
	for _, fault := range deadly {
		all, err := Choose(Query{Faults: []string{fault}, NoOutage: true})
		if err != nil || all[0].Remains {
			t.Errorf("%s: %+v, %v", fault, all[0], err)
		}
	}
}

// TestAPauseCountsIfItMayOutlastTheLease: a lock that renews its lease during long work bears a
// short pause.
func TestAPauseCountsIfItMayOutlastTheLease(t *testing.T) {
	for _, c := range []struct {
		pause, work time.Duration
		counts      bool
	}{
		{5 * time.Second, 10 * time.Second, false}, {20 * time.Second, 10 * time.Second, true},
		{5 * time.Second, 60 * time.Second, false}, {15 * time.Second, 60 * time.Second, true},
		{0, 60 * time.Second, false}, {30 * time.Second, 0, true},
	} {
		q := Query{Lease: 30 * time.Second, Pause: c.pause, Work: c.work}
		if got := slices.Contains(q.AllFaults(), "pause"); got != c.counts {
			t.Errorf("%+v: %v", c, got)
		}
	}
}
