package linear

import (
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/lockbench/lockbench/checker/record"
)

// TestLeaseIsDecidedWithoutSearch where each acquire returned before its release was called and was
// shorter than the lease, and only there.
func TestLeaseIsDecidedWithoutSearch(t *testing.T) {
	for name, c := range map[string]struct {
		hold LeaseHold
		want bool
	}{
		"answered, then released":       {LeaseHold{Call: 0, Ret: 10, TTL: 100, Released: 20}, true},
		"never answered":                {LeaseHold{Call: 0, Ret: 30, TTL: 100, Released: 20}, false},
		"answered as it is released":    {LeaseHold{Call: 0, Ret: 20, TTL: 100, Released: 20}, false},
		"as long as the lease, at last": {LeaseHold{Call: 0, Ret: 100, TTL: 100, Released: 200}, false},
	} {
		if _, _, exact := FastLease([]LeaseHold{c.hold}); exact != c.want {
			t.Errorf("%s: exact %v, not %v", name, exact, c.want)
		}
	}
}

// TestLeasesStopAtTheFirstViolation: a later piece that is possible does not excuse an earlier one.
func TestLeasesStopAtTheFirstViolation(t *testing.T) {
	open := int64(record.Forever)
	early, inside := LeaseHold{Ret: 10, TTL: 100, Released: open},
		LeaseHold{Call: 20, Ret: 30, TTL: 100, Released: open}
	late := LeaseHold{Call: 1000, Ret: 1010, TTL: 100, Released: open}
	for name, c := range map[string]struct {
		holds []LeaseHold
		want  porcupine.CheckResult
	}{
		"one within the lease of another, and one later": {[]LeaseHold{early, inside, late},
			porcupine.Illegal},
		"one after the other": {[]LeaseHold{early, late}, porcupine.Ok},
	} {
		if got := Leases(c.holds, time.Second).Result; got != c.want {
			t.Errorf("%s: %s", name, got)
		}
	}
}
