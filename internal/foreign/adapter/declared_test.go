package adapter

import (
	"errors"
	"testing"
	"time"
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
