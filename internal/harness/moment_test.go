package harness_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lockbench/lockbench/impls"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/nemesis"
)

// TestAMomentThatALockNeverComesToIsRefused wants a fault refused, with another aim, if it strikes
// at a command that the lock never sends, and only then.
func TestAMomentThatALockNeverComesToIsRefused(t *testing.T) {
	for _, c := range []struct{ lock, fault, says string }{
		{"token-lua", "pause:between", "never sends (it sends only set and eval): use --nemesis pause"},
		{"token-lua", "crash:expire", "use --nemesis crash"},
		{"token-lua", "failover,pause:between", "use --nemesis pause"},
		{"token-lua", "race:nil", "use --nemesis race:wakeup"},
		{"redlock", "failover:between", "use --nemesis failover"},
		{"none", "pause:between", "it sends none"},
		{"setpx-del", "message:drop-renewal", "renews none: use --nemesis message"},
		{"redisson", "message:drop-renewal", ""},
		{"setpx-del", "crash:takeover", "and setpx-del is not one: use --nemesis crash"},
		{"setpx-getdel", "race:finally", "and setpx-getdel is not one: use --nemesis race:wakeup"},
		{"setpx-getdel", "race:nil", "use --nemesis race:wakeup"}, // it reads when it releases
		{"setpx-del", "pause:between", ""},                        // its release is one DEL
		{"setpx-getdel", "pause:between", ""},
		{"setnx-expire", "crash:expire", ""},
		{"setnx-del-expired", "race:nil", ""},
		{"setnx-del-expired", "race:nil,pause", ""},
		{"getset-java", "race:finally", ""},
		{"token-lua", "random", ""},
		{"token-lua", "../../docs/examples/faults/late-release.yaml", ""},
	} {
		o := harness.RunOptions{Impl: c.lock, Nemesis: c.fault, Environment: "sim"}
		p, err := harness.NewPlan(o)
		if err == nil {
			err = p.CheckMoments(o)
		}
		var refused harness.MomentError
		if errors.As(err, &refused) != (c.says != "") ||
			err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s under %s: %v; want %q", c.lock, c.fault, err, c.says)
		}
	}
}

// TestAnAimThatIsNotPossibleNamesOneThatIs: an aim that another server cannot have is refused with
// one that it can have, if there is one.
func TestAnAimThatIsNotPossibleNamesOneThatIs(t *testing.T) {
	for fault, want := range map[string]string{
		"late":       "choose their connections themselves; use --nemesis late:reply",
		"late:again": "; use --nemesis late:reply", "pause:between": "; use --nemesis pause",
		"failover": "no replica lags behind", "pause:between,late": "of its clients are not seen",
	} {
		_, err := harness.NewPlan(harness.RunOptions{Adapter: "etcd-mutex", Nemesis: fault})
		if err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%s: %v, want %q", fault, err, want)
		}
	}
	_, err := harness.NewPlan(harness.RunOptions{Impl: "token-lua", Environment: "docker",
		Nemesis: "failover-sentinel:planned", Capabilities: nemesis.CapabilitiesOf("docker")})
	if err == nil || !strings.HasSuffix(err.Error(), "; use --nemesis failover-sentinel") {
		t.Error(err)
	}
}

// TestALockSendsTheCommandsOfItsRow wants each command that a lock sends in its row, and each
// command of the row sent, under faults that bring it to all of its branches.
func TestALockSendsTheCommandsOfItsRow(t *testing.T) {
	for _, lock := range impls.All() {
		var sent []string
		for fault, lease := range map[string]time.Duration{"none": 1500 * time.Millisecond, "crash": 0,
			"reply-loss:acquire": 0, "failover": 0} {
			_, trace := simPlan(t, harness.RunOptions{Impl: lock.Name, Nemesis: fault, Environment: "sim",
				Seed: 1, TTL: lease, NoWatchdog: lock.Watchdog && fault == "failover"})
			for _, c := range trace {
				if len(c.Args) > 0 {
					sent = append(sent, strings.ToLower(c.Args[0]))
				}
			}
		}
		slices.Sort(sent)
		row := slices.Sorted(slices.Values(lock.Sends))
		if got := slices.Compact(sent); !slices.Equal(got, row) {
			t.Errorf("%s sends %q, and its row says %q", lock.Name, got, row)
		}
	}
}
