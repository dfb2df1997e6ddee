package linear

import "testing"

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
