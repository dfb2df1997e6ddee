package adapter

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/lockbench/lockbench/adapters"
	"github.com/lockbench/lockbench/internal/env/cluster/server"
	"github.com/lockbench/lockbench/workloads"
)

// TestALeaseThatIsTooShort adds what is left of a lease to the key's greatest age. Only a sum below
// the lease that was asked for convicts the lock.
func TestALeaseThatIsTooShort(t *testing.T) {
	for name, c := range map[string]struct {
		left  int64
		age   time.Duration
		short bool
	}{
		"whole":                          {2490, 10 * time.Millisecond, false},
		"cut to whole seconds":           {1990, 10 * time.Millisecond, true},
		"rounded up":                     {2990, 10 * time.Millisecond, false},
		"perhaps cut, on a busy machine": {1490, 1100 * time.Millisecond, false},
		"rounded by Redis":               {2489, 10 * time.Millisecond, false},
		"without an end":                 {-1, 10 * time.Millisecond, false},
		"gone":                           {-2, 10 * time.Millisecond, false},
	} {
		if err := tooShort(c.left, c.age); (err != nil) != c.short {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestWhenALeaseBegan wants an adapter to say when it asked for a lease only if its calls wait.
func TestWhenALeaseBegan(t *testing.T) {
	for _, c := range []struct {
		sent int64
		is   string
		why  string
		want string // of the error
	}{
		{0, isRefused, whyTaken, ""},
		{0, isRefused, "", ""},
		{0, isRefused, whyGaveUp, "overlaps (S) may stay unknown"},
		{7, isRefused, whyGaveUp, ""},
		{0, isAcquired, "", "not asked: the second client was answered acquired"},
		{0, isFailed, "", "not asked: the second client was answered failed"},
		{0, isRefused, whyUnreachable, "not asked: the second client was answered refused unreachable"},
		{0, isRefused, whyServerRefused, "not asked: "},
		{0, isRefused, whyCancelled, "not asked: "},
	} {
		err := checkStart(Answer{Sent: c.sent}, Answer{Is: c.is, Why: c.why})
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// TestALockThatKeepsItsKeyForLong wants the check to ask nothing more of a lock that keeps its key
// for longer than the check waits, unless the check can remove the key.
func TestALockThatKeepsItsKeyForLong(t *testing.T) {
	other := struct{ server.Kind }{}
	for _, c := range []struct {
		kind  server.Kind
		least time.Duration
		stops bool
	}{
		{other, time.Hour, true}, {other, time.Second, false}, {other, 0, false},
		{nil, time.Hour, false},
	} {
		asked := &checker{kind: c.kind, use: adapters.Use{
			Declares: adapters.Declares{MinimumHold: adapters.Duration(c.least)}}}
		if err := keptFor(asked); (err != nil) != c.stops {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// TestWhenAGrantWasAskedFor wants the beginning of a call not to pass for that of a lease.
func TestWhenAGrantWasAskedFor(t *testing.T) {
	const begun = 100
	for _, c := range []struct {
		lease      time.Duration
		sent, want int64
	}{{time.Second, 0, 0}, {time.Second, 150, 150}, {0, 0, begun}, {0, 150, 150}} {
		l := lock{remote: &remote{Grants: &workloads.Grants{Lease: c.lease}}}
		if got := int64(l.sent(begun, Answer{Sent: c.sent})); got != c.want {
			t.Errorf("lease %v, sent %d: got %d, want %d", c.lease, c.sent, got, c.want)
		}
	}
}

// TestAKeyThatIsGone convicts a lock only if its key must still be there and a key has expired.
func TestAKeyThatIsGone(t *testing.T) {
	for _, c := range []struct {
		age     time.Duration
		expired int64
		wrong   bool
	}{
		{10 * time.Millisecond, 1, true},
		{10 * time.Millisecond, 0, false}, // it has another name
		{checkTTL, 1, false},
	} {
		var not notAsked
		if err := whyGone("k", c.age, c.expired); errors.As(err, &not) == c.wrong {
			t.Errorf("%v, %d expired: %v", c.age, c.expired, err)
		}
	}
}
