package hint

import (
	"strings"
	"testing"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/impls"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/history"
)

// TestRemedies wants a remedy that fits the worst violation, and none that would not help.
func TestRemedies(t *testing.T) {
	violated := func(letter, class string) checker.Property {
		return checker.Property{Property: letter, Class: class, Verdict: checker.Violated}
	}
	stays := violated("R", "")
	stays.Stays = true
	overrun := violated("S", checker.LeaseOverrun)
	plainDelete := violated("L", checker.ReleasedByNonOwner)
	plainDelete.Witness = &checker.Witness{Commands: []checker.WitnessCommand{{
		Command: history.Command{Args: []string{"DEL", "k"}}, Kind: "foreign-delete"}}}
	for _, c := range []struct {
		name       string
		options    harness.RunOptions
		properties []checker.Property
		want       []string // in the order of the remedy; empty: no remedy
	}{
		{"a release without a look at the owner", harness.RunOptions{Impl: "setpx-del",
			Nemesis: "pause"}, []checker.Property{violated("L", checker.ReleasedByNonOwner), overrun},
			[]string{"Delete the key only if it still has", `redis.call("get"`, "L and O hold",
				"--impl token-lua --nemesis pause", "A holder that is stopped for longer"}},
		{"a server that forgot, and a release without a look at the owner", harness.RunOptions{
			Impl: "setpx-del", Nemesis: "restart"}, []checker.Property{
			violated("L", checker.LostByServer), violated("O", checker.ReleasedByNonOwner)},
			[]string{"Have Redis write to its disk", "hold under the same fault",
				`For O, the lock's own defect, see the repair "owner check"`}},
		{"a clock, where a resource that refuses old tokens helps", harness.RunOptions{
			Impl: "token-lua", Nemesis: "clock-server:+"}, []checker.Property{
			violated("L", checker.Clock)}, []string{"Use another lock", "takes no write of an old holder",
			"With such a resource clean under clock-server+", "Or let no clock of a server be set",
			"No run of lockbench has tried this"}},
		{"long work", harness.RunOptions{Impl: "token-lua", Nemesis: "overrun"},
			[]checker.Property{overrun}, []string{"Then the resource refuses the late write under pause",
				"A lock that renews its lease while its holder runs outlasts long work"}},
		{"an overrun", harness.RunOptions{Impl: "token-lua", Nemesis: "pause"},
			[]checker.Property{overrun}, []string{"Have the resource refuse old holders",
				"UPDATE account", "Then the resource refuses the late write", "--workload fenced"}},
		{"an overrun under a fault that takes the counter of the tokens", harness.RunOptions{
			Impl: "token-lua", Nemesis: "restart-delayed"}, []checker.Property{overrun},
			[]string{"Have the resource refuse old holders", "nextval", "Draw the tokens elsewhere"}},
		{"a counter that a restart took", harness.RunOptions{Impl: "redisson-fenced",
			Nemesis: "restart-delayed", NoWatchdog: true}, []checker.Property{
			violated("F", checker.LostByServer)}, []string{"does not forget the counter",
			"appendonly yes", "F holds under the same fault"}},
		{"a counter that the promoted replica lacks", harness.RunOptions{Impl: "redisson-fenced",
			Nemesis: "failover"}, []checker.Property{violated("F", checker.LostByServer)},
			[]string{"nextval", "Draw the tokens elsewhere"}},
		{"a machine that was suspended", harness.RunOptions{Impl: "redlock",
			Nemesis: "suspend:granting"}, []checker.Property{{Property: "S",
			Verdict: checker.Violated, Class: checker.LateMessage, Assumption: "client clock"}},
			[]string{"Tell the time by a clock that goes on"}},
		{"clients that wrote one value", harness.RunOptions{Impl: "token-lua", Variant: "constant",
			Nemesis: "restart-delayed:stay"}, []checker.Property{{Property: "L", OneValue: "me",
			Verdict: checker.Violated, Class: checker.ReleasedByNonOwner}},
			[]string{"Draw a new unique value before each try"}},
		{"a lost update in a run that did not judge S", harness.RunOptions{Impl: "setpx-del",
			Nemesis: "pause"}, []checker.Property{violated("U", "")},
			[]string{"Have the resource refuse old holders", "--workload fenced"}},
		{"a lost update after a failover, which may lose the tokens", harness.RunOptions{
			Impl: "setpx-del", Nemesis: "failover"}, []checker.Property{violated("U", "")},
			[]string{"Use another lock", "or let one transaction on the data decide"}},
		{"an outage, which other locks may have", harness.RunOptions{Impl: "redlock",
			Nemesis: "majority-loss"}, []checker.Property{violated("A", "")}, nil},
		{"a key that its lease ends", harness.RunOptions{Impl: "setnx-expire",
			Nemesis: "partition"}, []checker.Property{violated("R", "")},
			[]string{"Let the lease end what was left", "free one lease after"}},
		{"a key that may stay for good", harness.RunOptions{Impl: "setnx-expire",
			Nemesis: "partition:expire"}, []checker.Property{stays}, []string{
			"take the key with its lease in one command", "--impl token-lua --nemesis partition",
			"only until the lease is over"}},
		{"a key that may stay for good, of a lock without a lease", harness.RunOptions{Impl: "setnx",
			Nemesis: "partition"}, []checker.Property{stays}, []string{
			"take the key with its lease in one command", "hold under the same fault"}},
		{"a key that may stay for good, of a lock that is not in the table", harness.RunOptions{
			Impl: "token-lua", Nemesis: "partition"}, []checker.Property{stays}, []string{
			"take the key with its lease in one command", "No run of lockbench has tried this"}},
		{"an outage while the holder of a session is cut off", harness.RunOptions{Adapter: "postgres",
			Variant: "row", Nemesis: "partition"}, []checker.Property{violated("A", "")},
			[]string{"TCP keepalives", "time-out of idle sessions", "No run of lockbench"}},
		{"an outage while the holder of a key without a lease is cut off", harness.RunOptions{
			Impl: "setnx", Nemesis: "partition"}, []checker.Property{violated("A", "")},
			[]string{"take the key with its lease in one command"}},
		{"an outage while the holder of a key with a lease is cut off", harness.RunOptions{
			Impl: "token-lua", Nemesis: "partition"}, []checker.Property{violated("A", "")}, nil},
		{"an outage while a database fails over", harness.RunOptions{Adapter: "postgres",
			Nemesis: "failover"}, []checker.Property{violated("A", "")}, nil},
		{"a late notice", harness.RunOptions{Impl: "token-lua", Nemesis: "pause"},
			[]checker.Property{violated("N", "")}, nil},
		{"an overrun, and tokens that do not grow", harness.RunOptions{Impl: "redisson-fenced",
			Nemesis: "overrun"}, []checker.Property{overrun, violated("F", checker.OldToken)},
			[]string{"Use another lock"}},
		{"a library that has the repair", harness.RunOptions{Adapter: "redisson", Nemesis: "pause"},
			[]checker.Property{overrun}, []string{"Have the resource refuse old holders",
				"redisson fenced gives such tokens", "--variant fenced"}},
		{"a lost session of a lock with tokens", harness.RunOptions{Adapter: "etcd-mutex",
			Nemesis: "pause"}, []checker.Property{violated("S", checker.SessionLost)},
			[]string{"Have the resource refuse old holders", "etcd-mutex gives such tokens",
				"--adapter etcd-mutex", "--workload fenced"}},
		{"a lost session of a lock without tokens", harness.RunOptions{Adapter: "curator",
			Nemesis: "pause"}, []checker.Property{violated("S", checker.SessionLost)},
			[]string{"Have the resource refuse old holders", "go-zookeeper sequential gives such tokens",
				"--adapter go-zookeeper --variant sequential", "--workload fenced"}},
		{"a session of a database", harness.RunOptions{Adapter: "postgres", Nemesis: "restart"},
			[]checker.Property{violated("S", checker.SessionLost)},
			[]string{"write in one transaction", "FOR UPDATE", "D and U hold under the same fault",
				"run --adapter postgres --variant row --workload transaction --nemesis restart " +
					"--properties D,U"}},
		{"a session behind a pool", harness.RunOptions{Adapter: "postgres", Variant: "row-pooled",
			Nemesis: "restart"}, []checker.Property{violated("S", checker.SessionLost)},
			[]string{"write in one transaction", "--variant row --workload transaction"}},
		{"a row of a database, whose writes were not in its transaction", harness.RunOptions{
			Adapter: "mariadb", Variant: "row", Nemesis: "disconnect", Workload: "counter"},
			[]checker.Property{violated("U", "")}, []string{"write in one transaction",
				"D and U hold under the same fault", "run --adapter mariadb --variant row --workload " +
					"transaction --nemesis disconnect --properties D,U"}},
		{"a library that a newer version mended", harness.RunOptions{Adapter: "posted-d002",
			Nemesis: "overrun"}, []checker.Property{violated("L", checker.ReleasedByNonOwner)},
			[]string{"Use a newer version of the library", "L and O hold under the same fault",
				"run --adapter redis-py --nemesis overrun --properties L,O"}},
		{"a holder that was told", harness.RunOptions{Adapter: "etcd-mutex",
			Nemesis: "partition:stay"}, []checker.Property{violated("S", checker.AfterNotice)},
			[]string{"Leave as soon as the lock tells", "Whether that is in time, this shows",
				"run --adapter etcd-mutex --variant ttl --workload heed --nemesis partition:stay " +
					"--properties S,D", "only fencing tokens"}},
		{"a holder that was told, by a lock that declares no notice", harness.RunOptions{
			Adapter: "redis-py", Nemesis: "pause"}, []checker.Property{violated("S",
			checker.AfterNotice)}, []string{"Use another lock"}},
		{"a repair that another fault has shown", harness.RunOptions{Impl: "setpx-del",
			Nemesis: "random"}, []checker.Property{violated("L", checker.ReleasedByNonOwner)},
			[]string{"Delete the key only if it still has", "L and O hold under pause", "--nemesis pause"}},
		{"a look before a write", harness.RunOptions{Impl: "none", Nemesis: "none"},
			[]checker.Property{violated("L", checker.CheckThenSet)}, []string{"Look at the key and " +
				"take it in one command", "SET key", "S, L and D hold under the same fault (shown with " +
				"another lock)", "--impl token-lua --nemesis none"}},
		{"a library without a lease", harness.RunOptions{Adapter: "redis-py", Variant: "defaults",
			Nemesis: "crash"}, []checker.Property{violated("D", "")}, []string{"redis-py: timeout=<lease>",
			"Let the server end the lease", "It stays clean in 1 run",
			"--adapter redis-py --variant ttl"}},
		{"a library with an option that compares", harness.RunOptions{Adapter: "shedlock",
			Nemesis: "pause"}, []checker.Property{plainDelete, overrun}, []string{"shedlock safe-update: " +
			"lockAtMostFor=<lease>, safeUpdate(true)", "Delete the key only if", "It keeps L and O in 1 run",
			"--variant safe-update --nemesis pause --properties L,O"}},
		{"a library with a variant that renews", harness.RunOptions{Adapter: "python-redis-lock",
			Nemesis: "overrun"}, []checker.Property{overrun}, []string{"Have the resource refuse",
			"outlasts long work, but no pause: python-redis-lock auto-renewal of this library (expire=" +
				"<lease>, auto_renewal=True"}},
		{"a lease in a database, where a variant is held by its connection", harness.RunOptions{
			Adapter: "postgres", Variant: "lease", Nemesis: "overrun"}, []checker.Property{overrun},
			[]string{"Have the resource refuse", "A lock that its client's connection holds outlasts " +
				"long work, until that connection ends: postgres of this library (pg_advisory_lock"}},
		{"an update that no check guards, on one server", harness.RunOptions{Adapter: "db-version",
			Variant: "unchecked", Nemesis: "restart"}, []checker.Property{violated("U", "")},
			[]string{"Use another lock of this library: db-version (in PostgreSQL, on pgx)",
				"--adapter db-version --variant postgres --nemesis restart"}},
		{"a session of a database behind a pool", harness.RunOptions{Adapter: "postgres",
			Variant: "pooled", Nemesis: "none"}, []checker.Property{violated("S", checker.DoubleGrant)},
			[]string{"Use another lock of this library: postgres row-pooled", "It stays clean in 3 runs",
				"--adapter postgres", "--nemesis crash"}},
		{"a write that a database lost", harness.RunOptions{Adapter: "db-version",
			Nemesis: "failover:release"}, []checker.Property{violated("U", "")},
			[]string{"Let a commit wait for the standby", "A database whose commits wait loses no write",
				"--adapter db-version --variant synchronous --nemesis failover:release"}},
		{"a failover", harness.RunOptions{Impl: "token-lua", Nemesis: "failover"},
			[]checker.Property{violated("L", checker.LostByServer)}, []string{"Use another lock",
				"agree on every write", "Clean under leader-loss in 11 to 12 runs each", "curator suspended",
				"choose --fault leader-loss",
				"Does not help: --wait-replicas 1, with one replica (then no client gets in)"}},
		{"random faults that took no data", harness.RunOptions{Impl: "token-lua", Nemesis: "random"},
			[]checker.Property{overrun}, []string{"Have the resource refuse old holders", `"incr"`,
				"refuses the late write under pause", "--nemesis pause"}},
		{"random faults, a failover among them", harness.RunOptions{Impl: "token-lua",
			Nemesis: "random", Seed: 28}, []checker.Property{overrun}, []string{"Have the resource refuse",
			"nextval", "Draw the tokens elsewhere"}},
		{"an election among random faults", harness.RunOptions{Impl: "token-lua", Nemesis: "random",
			Seed: 1}, []checker.Property{overrun}, []string{"Use another lock", "leader-loss"}},
		{"restarts among random faults", harness.RunOptions{Impl: "token-lua", Nemesis: "random",
			Seed: 23}, []checker.Property{violated("L", checker.LostByServer)},
			[]string{"Have Redis write to its disk", "hold under restart"}},
		{"a grant that a random failover lost", harness.RunOptions{Impl: "token-lua",
			Nemesis: "random", Seed: 18}, []checker.Property{violated("L", checker.LostByServer)},
			[]string{"Use another lock", "leader-loss"}},
		{"a library under random faults of several kinds", harness.RunOptions{Adapter: "redis-py",
			Variant: "defaults", Nemesis: "random", Seed: 4}, []checker.Property{violated("L",
			checker.LostByServer)}, []string{"Use another lock", "choose --fault "}},
		{"a lock that random faults left taken", harness.RunOptions{Impl: "setnx", Nemesis: "random",
			Seed: 18}, []checker.Property{violated("D", "")}, []string{"Let the server end the lease",
			"hold under message:strand-acquire", "can still make a server lose a grant"}},
		{"random clocks", harness.RunOptions{Impl: "token-lua", Nemesis: "random", Seed: 20},
			[]checker.Property{violated("L", checker.Clock)}, []string{"Use another lock",
				"clean under clock-server+,partition,pause", "choose --fault clock-server+,partition,pause"}},
		{"times that clients compare, under random clocks of clients and servers", harness.RunOptions{
			Impl: "getset", Nemesis: "random", Seed: 27}, []checker.Property{
			violated("L", checker.Clock)}, []string{"Let the server end the lease",
			"hold under clock-client:+", "can still make a server lose a grant"}},
		{"several faults", harness.RunOptions{Impl: "token-lua", Nemesis: "pause:short,restart"},
			[]checker.Property{violated("L", checker.LostByServer)},
			[]string{"appendonly yes", "hold under restart"}},
		{"a repair that a failover leaves a hole in", harness.RunOptions{Adapter: "posted-d004",
			Nemesis: "failover:between"}, []checker.Property{plainDelete},
			[]string{"hold under ", "can still make a server lose a grant"}},
		{"a script that the server forgot", harness.RunOptions{Impl: "setnx", Nemesis: "none"},
			[]checker.Property{violated("D", checker.ForgottenScript)}, []string{"Send a script's text",
				"NOSCRIPT", "hold under scripts-lost", "--impl token-lua --nemesis scripts-lost"}},
		{"a wake-up that was missed", harness.RunOptions{Impl: "redisson", Nemesis: "crash"},
			[]checker.Property{violated("D", checker.MissedWake)}, []string{"ask again after a bounded"}},
		{"a call of a database's lock that does not end", harness.RunOptions{Adapter: "postgres",
			Nemesis: "none"}, []checker.Property{violated("D", checker.EndlessCall)},
			[]string{"Give each command a time-out"}},
		{"a key that vanished", harness.RunOptions{Impl: "redlock", Nemesis: "none"},
			[]checker.Property{violated("L", checker.Vanished)},
			[]string{"a Redis of their own that evicts nothing"}},
		{"a defect without a repair that a run has shown, and without a fault",
			harness.RunOptions{Impl: "redlock", Nemesis: "none"},
			[]checker.Property{violated("L", checker.DoubleGrant)},
			[]string{"Use another lock", "Clean under crash in 1 to 3 runs each: ",
				"choose --fault crash"}},
		{"a disk that was lost, of which no column knows", harness.RunOptions{Impl: "token-lua",
			Nemesis: "disk-loss"}, []checker.Property{violated("L", checker.LostByServer)},
			[]string{"Use another lock", "choose --fault leader-loss"}},
		{"a lease of a database that lost a write", harness.RunOptions{Adapter: "postgres",
			Variant: "lease", Nemesis: "failover"}, []checker.Property{
			violated("S", checker.LostByServer)}, []string{"Let a commit wait for the standby"}},
		{"clients' clocks, where a variant has the server's", harness.RunOptions{
			Adapter: "postgres", Variant: "lease-client", Nemesis: "clock-client:+"},
			[]checker.Property{violated("S", checker.Clock)},
			[]string{"Use another lock of this library: postgres lease"}},
		{"a renewal that was lost, of which no variant was tried", harness.RunOptions{
			Adapter: "redisson", Variant: "watchdog", Nemesis: "message:drop-renewal"},
			[]checker.Property{violated("S", checker.LostRenewal)},
			[]string{"Renew with the whole lease", "With it, S, L and D hold"}},
		{"a failover that leaves a replica", harness.RunOptions{Impl: "token-lua",
			Nemesis: "failover-sentinel"}, []checker.Property{violated("S", checker.LostByServer)},
			[]string{"Ask with WAIT", "WAIT 1", "S and L hold under failover-sentinel:healthy",
				"--wait-replicas 1 --nemesis failover-sentinel:healthy", "no client enters on a grant",
				"WAIT only counts", "choose --fault leader-loss"}},
		{"a lock that waited for a replica", harness.RunOptions{Impl: "token-lua",
			Nemesis: "failover-sentinel", Settings: impls.Settings{WaitReplicas: 1}},
			[]checker.Property{violated("S", checker.LostByServer)},
			[]string{"Use another lock", "one that had not confirmed was promoted. An operator"}},
		{"a lease that is counted from before an earlier try", harness.RunOptions{
			Adapter: "node-redlock-5", Nemesis: "overrun"}, []checker.Property{{Property: "V",
			Class: checker.OverWhenDelivered, Verdict: checker.Violated, Cause: "counted early"}},
			[]string{"Take the time anew before each try", "No run of lockbench has tried this"}},
		{"votes that a disk took", harness.RunOptions{Impl: "redlock", Nemesis: "disk-loss"},
			[]checker.Property{violated("L", checker.LostByServer)}, []string{"Use another lock",
				"stay away until the longest lease is over. No run of lockbench has tried this"}},
		{"a DEL that the client's library sends again", harness.RunOptions{Impl: "setpx-del",
			Nemesis: "partition", ClientRetries: new(3)}, []checker.Property{plainDelete},
			[]string{"send no plain DEL again", "L and O hold under the same fault",
				"--client-retries 3 --client-timeout 3s --nemesis partition"}},
		{"long work, and a release without a look at the owner", harness.RunOptions{
			Impl: "setpx-del", Nemesis: "overrun"}, []checker.Property{plainDelete, overrun},
			[]string{"Delete the key only if it still has", "A holder that works for longer than its " +
				"lease (S) remains: renew the lease"}},
		{"tokens that a restart took from a resource that looks at them", harness.RunOptions{
			Impl: "redisson-fenced", Nemesis: "restart-delayed", Workload: "fenced"},
			[]checker.Property{overrun}, []string{"Draw the tokens elsewhere", "nextval",
				"No run of lockbench has tried this"}},
		{"votes that a restart took", harness.RunOptions{Impl: "redlock", Nemesis: "restart"},
			[]checker.Property{violated("L", checker.LostByServer)},
			[]string{"Have Redis write to its disk", "only when the longest lease is over"}},
		{"a lock that hangs and has no lease", harness.RunOptions{Impl: "setnx", Nemesis: "crash"},
			[]checker.Property{violated("D", "")}, []string{"Let the server end the lease",
				"beside a holder that is stopped", "A lock that hangs now is free"}},
		{"a clock that ends leases early", harness.RunOptions{Impl: "setpx-del",
			Nemesis: "clock-server:between"},
			[]checker.Property{violated("L", checker.ReleasedByNonOwner)},
			[]string{"Delete the key only if", "can still end a lease early"}},
		{"no violation", harness.RunOptions{Impl: "token-lua", Nemesis: "pause"}, nil, nil},
	} {
		p, err := harness.NewPlan(c.options)
		if err != nil {
			t.Fatal(c.name, err)
		}
		r, err := RemedyFor(&checker.Verdict{Properties: c.properties}, p)
		text := strings.Join(append(append(append([]string{r.Do}, r.Code...), r.Why...), r.Shown,
			r.Command.Line, strings.Join(r.Rest, " ")), "\n")
		if err != nil || (r.Do == "") != (len(c.want) == 0) {
			t.Errorf("%s: %v, %q", c.name, err, text)
		}
		for _, w := range c.want {
			_, after, found := strings.Cut(text, w)
			if !found {
				t.Errorf("%s: %q is missing in its place:\n%s", c.name, w, text)
			}
			text = after
		}
	}
}

// TestAReportedOrphanHasARemedy: a release that was lost is sent again only if its grant was
// answered, and only by a lock whose release looks at the owner.
func TestAReportedOrphanHasARemedy(t *testing.T) {
	for _, c := range []struct {
		impl     string
		recv     int64
		reported bool
		want     string
	}{
		{"token-lua", 9, true, "Send the release again"},
		{"token-lua", 0, true, "Let the lease end"},
		{"setpx-del", 9, true, "Let the lease end"},
		{"token-lua", 9, false, ""}, // it decides the run, and RemedyFor says it
	} {
		p, err := harness.NewPlan(harness.RunOptions{Impl: c.impl, Nemesis: "request-loss:release"})
		if err != nil {
			t.Fatal(err)
		}
		r, err := OrphanRemedy(&checker.Verdict{Properties: []checker.Property{{Property: "R",
			Verdict: checker.Violated, Reported: c.reported, Witness: &checker.Witness{
				Commands: []checker.WitnessCommand{{Kind: "write",
					Command: history.Command{Recv: c.recv}}}}}}}, p)
		if err != nil || !strings.HasPrefix(r.Do, c.want) || (r.Do == "") != (c.want == "") {
			t.Errorf("%+v: %q, %v", c, r.Do, err)
		}
	}
}
