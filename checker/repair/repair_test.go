package repair_test

import (
	"cmp"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lockbench/lockbench/adapters"
	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/checker/repair"
	"github.com/lockbench/lockbench/internal/campaign/matrix"
	"github.com/lockbench/lockbench/internal/dev/testenv"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/run/runner"
)

func TestMain(m *testing.M) {
	testenv.SideBySide(6)
	os.Exit(m.Run())
}

// TestEachRepairIsShown runs the rows that the simulator cannot show on real servers.
func TestEachRepairIsShown(t *testing.T) { showRows(t, true) }

// TestPureRepairs runs the other rows. It needs no server, so that go remembers its result.
func TestPureRepairs(t *testing.T) { showRows(t, false) }

// showRows runs each lock of rows under each of their faults: as it is, when it shows the kind of
// violation, and repaired, when it keeps what the row says.
func showRows(t *testing.T, real bool) {
	testenv.SkipRace(t)
	for _, r := range repair.Rows() {
		for _, fault := range r.Faults {
			for _, lock := range r.Locks {
				if r.Real != real {
					continue
				}
				t.Run(strings.Join([]string{r.Kind, r.Name, fault, lock}, "/"), func(t *testing.T) {
					t.Parallel()
					shows(t, r, lock, fault)
				})
			}
		}
	}
}

// seeds are those of the runs in the simulator.
var seeds = []uint64{1, 2, 3}

func shows(t *testing.T, r repair.Row, lock, fault string) {
	o := optionsOf(t, lock)
	o.Nemesis, o.Environment = fault, runner.Sim
	runs := seeds
	if r.Resends {
		resend(t, &o, r.With)
	}
	if r.Kind == checker.Orphan || o.Adapter != "" && !r.Harmless() {
		o.Properties = r.Keeps // R decides a run only if it is asked for, and an S may end it early
	}
	if r.Real {
		testenv.Part(t, cmp.Or(r.System, "redis"))
		setUp(t, o.Adapter)
		setUp(t, r.With.Adapter)
		o.Environment, runs = runner.Process, seeds[:1]
	}
	tries := runs
	if r.Real { // a stall may let the moment pass
		tries = []uint64{1, 2, 3, 4, 5}
	}
	if !slices.ContainsFunc(tries, func(seed uint64) bool { return violates(judged(t, o, seed), r) }) {
		t.Errorf("as it is, %s does not show it", lock)
	}
	keeps(t, r, fault, runs, repaired(t, o, r.With))
	if l, ok := handmades[lock]; ok && r.With.Impl != "" {
		l.mended = true
		with := l.options(lock)
		with.Environment = o.Environment
		keeps(t, r, fault, runs, with)
	}
}

// keeps runs a repaired lock under a fault and demands that it keeps what the row says.
func keeps(t *testing.T, r repair.Row, fault string, runs []uint64, with harness.RunOptions) {
	t.Helper()
	with.Properties, with.Nemesis = r.Keeps, r.FaultFor(fault)
	refused := 0
	if r.Strikes != "" {
		withholds(t, fault, with, runs[0])
	}
	for _, seed := range runs {
		v := judged(t, with, seed)
		if v.Evidence.Withheld > 0 {
			t.Errorf("repaired, seed %d: %s struck no grant", seed, with.Nemesis)
		}
		if v.Verdict != checker.Valid {
			t.Errorf("repaired, seed %d: %s %s", seed, v.Verdict, v.Summary)
		}
		for _, letter := range r.Keeps {
			if p := v.Property(letter); p.Verdict != checker.Valid {
				t.Errorf("repaired, seed %d: the row keeps %s, which is %s", seed, letter, p.Verdict)
			}
		}
		refused += v.Evidence.OldWrites
	}
	if r.With.Workload == "fenced" && refused == 0 {
		t.Error("the resource had no old write to refuse")
	}
}

// withholds demands that a repaired lock lets no client in on a grant that the fault could take.
func withholds(t *testing.T, fault string, with harness.RunOptions, seed uint64) {
	t.Helper()
	with.Nemesis = fault
	if v := judged(t, with, seed); v.Verdict != checker.Valid || v.Evidence.Withheld == 0 {
		t.Errorf("under %s: %s %s, %d grants withheld", fault, v.Verdict, v.Summary,
			v.Evidence.Withheld)
	}
}

// TestTokensKeepALateWriteOut lets the late holder write after its successor has read, and before
// that one writes.
func TestTokensKeepALateWriteOut(t *testing.T) {
	for _, seed := range seeds {
		v := judged(t, harness.RunOptions{Impl: "redisson-fenced", NoWatchdog: true,
			Workload: "fenced", Nemesis: "pause", Environment: runner.Sim,
			Hold: 2500 * time.Millisecond, Properties: []string{"D", "F", "U"}}, seed)
		if v.Verdict != checker.Valid || v.Evidence.OldWrites == 0 {
			t.Errorf("seed %d: %s %s, %d old writes", seed, v.Verdict, v.Summary, v.Evidence.OldWrites)
		}
	}
}

// violates reports whether a run has a violation of the row's kind that decides it, and of a
// property that the repair keeps.
func violates(v *checker.Verdict, r repair.Row) bool {
	return slices.ContainsFunc(v.Properties, func(p checker.Property) bool {
		return p.Verdict == checker.Violated && !p.Reported &&
			(p.Class == r.Kind || p.Class == "" && p.Property == r.Kind) &&
			(slices.Contains(r.Keeps, p.Property) || r.Harmless())
	})
}

// optionsOf returns the options that run a row of the matrix, or a handmade lock.
func optionsOf(t *testing.T, name string) harness.RunOptions {
	t.Helper()
	if l, ok := handmades[name]; ok {
		return l.options(name)
	}
	rows := matrix.Rows()
	i := slices.IndexFunc(rows, func(r matrix.Row) bool { return r.Name == name })
	if a, variant, _ := strings.Cut(name, " "); i < 0 && slices.Contains(adapters.Names(), a) {
		return harness.RunOptions{Adapter: a, Variant: variant}
	}
	if i < 0 { // the matrix has it only with a variant
		return harness.RunOptions{Impl: name}
	}
	return rows[i].Options("")
}

// setUp skips the test if an adapter is not set up here.
func setUp(t *testing.T, name string) {
	t.Helper()
	if name == "" {
		return
	}
	a, err := adapters.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	if !testenv.Required("adapters") && (a.Missing() != nil || !a.IsSetUp()) {
		t.Skipf("not set up here: lockbench adapters setup %s", name)
	}
	if _, err := adapters.Setup(t.Context(), a); err != nil {
		t.Fatal(err)
	}
}

// repaired returns the options that run the repaired lock.
func repaired(t *testing.T, same harness.RunOptions, l repair.Lock) harness.RunOptions {
	t.Helper()
	o := same
	if l.Impl != "" || l.Adapter != "" {
		o = harness.RunOptions{Impl: l.Impl, Adapter: l.Adapter, Variant: l.Variant,
			NoWatchdog: l.NoWatchdog, Workload: l.Workload, Nemesis: same.Nemesis,
			Environment: same.Environment}
	}
	if l.Workload != "" {
		o.Workload = l.Workload
	}
	o.WaitReplicas = l.WaitReplicas
	resend(t, &o, l)
	if err := o.Configure(l.RedisConfig); err != nil {
		t.Fatal(err)
	}
	return o
}

// resend sets the retries and the time-out of a lock's client library.
func resend(t *testing.T, o *harness.RunOptions, l repair.Lock) {
	t.Helper()
	if l.Retries > 0 {
		o.ClientRetries = &l.Retries
	}
	if l.Timeout != "" {
		d, err := time.ParseDuration(l.Timeout)
		if err != nil {
			t.Fatal(err)
		}
		o.ClientTimeout = d
	}
}

// judged returns the verdict of a run. On a real server a busy machine can keep a fault from its
// moment, and such a run is repeated.
func judged(t *testing.T, o harness.RunOptions, seed uint64) *checker.Verdict {
	t.Helper()
	v := verdictOf(t, o, seed)
	for tries := 1; o.Environment == runner.Process && v.Verdict == checker.Unknown && tries < 5; {
		v = verdictOf(t, o, seed)
		tries++
	}
	return v
}

func verdictOf(t *testing.T, o harness.RunOptions, seed uint64) *checker.Verdict {
	t.Helper()
	o.Seed = seed
	p, _, err := runner.Prepare(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	r, err := runner.Run(t.Context(), p, runner.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	return r.Verdict
}

// TestFind finds the repairs of some violations, and none where no run has shown one. The lock mine
// deletes its key with a plain DEL.
func TestFind(t *testing.T) {
	for _, c := range []struct {
		lock, fault, property, class string
		want, command                string
	}{
		{"setpx-del", "pause", "L", checker.ReleasedByNonOwner, "owner check",
			"lockbench run --impl token-lua --nemesis pause --properties L,O"},
		{"setpx-del", "pause:long", "L", checker.ReleasedByNonOwner, "owner check",
			"lockbench run --impl token-lua --nemesis pause --properties L,O"},
		{"setnx", "crash", "D", "", "atomic lease",
			"lockbench run --impl token-lua --nemesis crash --properties L,O,D"},
		{"token-lua", "pause", "S", checker.LeaseOverrun, "fencing token", "lockbench run --impl " +
			"redisson-fenced --watchdog=false --workload fenced --nemesis pause --properties D,F,U"},
		{"redisson watchdog", "partition:stay", "S", checker.LeaseOverrun, "fencing token",
			"lockbench run --impl redisson-fenced --workload fenced --nemesis pause --properties D,F,U"},
		{"token-lua", "restart", "L", checker.LostByServer, "a disk", "lockbench run --impl x " +
			"--redis-config appendonly=yes --redis-config appendfsync=always --nemesis restart " +
			"--properties L,O"},
		// a lock that is not in the table, by the class alone
		{"redis-py", "pause", "S", checker.LeaseOverrun, "fencing token", "lockbench run --impl " +
			"redisson-fenced --watchdog=false --workload fenced --nemesis pause --properties D,F,U"},
		{"renews", "pause", "S", checker.LeaseOverrun, "fencing token", "lockbench run --impl " +
			"redisson-fenced --workload fenced --nemesis pause --properties D,F,U"},
		{"mine", "restart", "L", checker.LostByServer, "a disk", "lockbench run --impl token-lua " +
			"--redis-config appendonly=yes --redis-config appendfsync=always --nemesis restart " +
			"--properties L,O"},
		{"mine", "pause", "L", checker.ReleasedByNonOwner, "owner check",
			"lockbench run --impl token-lua --nemesis pause --properties L,O"},
		// a grant that came too late is none that a release took
		{"redis-py", "late:reply", "S", checker.LateMessage, "validity check",
			"lockbench run --impl redlock --nemesis late:reply --properties S,D"},
		{"compares", "late:again", "L", checker.LateMessage, "new value for each try",
			"lockbench run --impl token-lua --nemesis late:again --properties L,O"},
		{"compares", "late:again", "S", checker.LateMessage, "", ""},
		{"mine", "suspend:granting", "S", checker.LateMessage, "", ""},
		{"mine", "race:finally", "S", checker.LateMessage, "validity check",
			"lockbench run --impl redlock --nemesis late:reply --properties S,D"},
		{"compares", "pause", "L", checker.ReleasedByNonOwner, "", ""},
		// the restart loses the counter of the tokens, too
		{"redisson watchdog", "restart-delayed:stay", "S", checker.LeaseOverrun, "", ""},
		// a disk does not help where another server takes over
		{"token-lua", "failover", "L", checker.LostByServer, "", ""},
		{"token-lua", "disk-loss", "L", checker.LostByServer, "", ""},
		// a failover leaves another replica only if there are two, as with Sentinel
		{"token-lua", "failover-sentinel", "S", checker.LostByServer, "a confirmed grant",
			"lockbench run --impl x --wait-replicas 1 --nemesis " +
				"failover-sentinel:healthy --properties S,L"},
		{"mine", "failover-sentinel:alive", "S", checker.LostByServer, "a confirmed grant",
			"lockbench run --impl token-lua --wait-replicas 1 --nemesis " +
				"failover-sentinel:healthy " +
				"--properties S,L"},
		{"waits", "failover-sentinel", "S", checker.LostByServer, "", ""},
		{"token-lua", "failover-cluster", "S", checker.LostByServer, "", ""},
		{"etcd-mutex", "leader-loss", "S", checker.SessionLost, "", ""},
		{"etcd-mutex", "partition:stay", "S", checker.AfterNotice, "leaving when told",
			"lockbench run --impl x --workload heed --nemesis partition:stay --properties S,D"},
		{"redisson-multi", "memory-full", "D", "", "a new value for each grant",
			"lockbench run --impl token-lua --nemesis memory-full --properties L,O,D"},
		{"setnx-expire", "message:strand-acquire", "D", "", "atomic lease",
			"lockbench run --impl token-lua --nemesis message:strand-acquire --properties L,O,D"},
		// what deadlocks another lock, the deadlocks of ours do not tell
		{"mine", "pause", "D", "", "", ""},
		{"mine", "late:release", "L", checker.LateMessage, "owner check", "lockbench run " +
			"--impl token-lua --nemesis late:release --properties L,O"},
		{"compares", "late:release", "L", checker.LateMessage, "new value for each try",
			"lockbench run --impl token-lua --nemesis late:again --properties L,O"},
		{"mine", "random", "R", checker.RefusedThoughGranted, "a refusal that gives back",
			"lockbench run --impl token-lua --nemesis crash --properties O,R,D"},
		{"mine", "pause", "L", checker.CheckThenSet, "one command",
			"lockbench run --impl token-lua --nemesis pause --properties L,O"},
		{"mine", "none", "S", checker.CheckThenSet, "one command",
			"lockbench run --impl token-lua --nemesis none --properties S,L,D"},
		{"mine", "pause", "V", checker.PromisedTooLong, "", ""}, // it has no lease, and promises no end
		{"compares", "pause", "V", checker.PromisedTooLong, "the lease that is promised",
			"lockbench run --impl redlock --nemesis pause --properties L,V"},
		// it may have counted from before the command, on a clock that stood
		{"mine", "suspend:granting", "V", checker.PromisedTooLong, "", ""},
		{"mine", "none", "V", checker.NoServer, "an answered grant",
			"lockbench run --impl token-lua --nemesis restart-delayed --properties L,V"},
		{"mine", "crash", "D", checker.RenewedOn, "renewals that end",
			"lockbench run --impl token-lua --nemesis partition:reset --properties L,O,D"},
		{"mine", "pause", "O", checker.RenewedByNonOwner, "an owner check in the renewal",
			"lockbench run --impl redisson --nemesis pause --properties L,O"},
		{"setnx", "crash", "D", checker.ForgottenScript, "a script that is sent again",
			"lockbench run --impl token-lua --nemesis scripts-lost --properties L,O,D"},
		{"mine", "none", "D", checker.EndlessCall, "a call that ends",
			"lockbench run --impl token-lua --nemesis reply-loss:acquire --properties L,O,D"},
		{"token-lua", "partition", "R", "", "a release that is sent again", "lockbench run --impl x " +
			"--client-retries 3 --nemesis message:drop --properties O,R,D"},
		{"mine", "partition", "L", checker.LateMessage, "owner check", "lockbench run " +
			"--impl token-lua --nemesis late:release --properties L,O"},
		{"resends", "partition", "L", checker.LateMessage, "a deletion that is not sent again",
			"lockbench " +
				"run --impl token-lua --client-retries 3 --client-timeout 3s --nemesis partition " +
				"--properties L,O"},
		{"mine", "partition", "R", "", "", ""}, // its release looks at no owner
		{"mine", "none", "L", checker.LostRenewal, "a whole renewal",
			"lockbench run --impl redisson --nemesis pause --properties L,O"},
	} {
		got := repair.Find(repair.Violation{Lock: c.lock, Flags: "--impl x", Fault: c.fault,
			Property: c.property, Class: c.class, Resends: c.lock == "resends",
			Plain: c.lock == "mine" || c.lock == "resends",
			Lease: c.lock != "mine", Waits: c.lock == "waits", Renews: c.lock == "renews",
			Released: c.property == "R", CameLate: c.want == "validity check" ||
				c.fault == "suspend:granting"})
		name, command := "", ""
		if got != nil {
			name, command = got.Name, got.Command.Line
		}
		if name != c.want || command != c.command {
			t.Errorf("%s, %s, %s: %q, %q", c.lock, c.fault, c.class, name, command)
		}
	}
}

// TestSeveralServersDrawNoToken: each counts for itself, so that tokens of two majorities need not
// grow.
func TestSeveralServersDrawNoToken(t *testing.T) {
	for _, c := range []struct {
		masters int
		system  string
		draws   string
	}{{1, "", "redis.call"}, {5, "", "nextval"}, {0, "postgres", "nextval"}} {
		x := repair.Find(repair.Violation{Lock: "redlock", Flags: "--impl redlock", Fault: "pause",
			Property: "S", Class: checker.LeaseOverrun, Lease: true, Masters: c.masters, System: c.system})
		if x == nil || !x.Tokens || !strings.Contains(x.Code[0], c.draws) {
			t.Errorf("%+v: %+v", c, x)
		}
	}
}
