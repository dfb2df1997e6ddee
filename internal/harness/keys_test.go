package harness

import (
	"slices"
	"testing"
)

// TestKeyNames wants the prefix of an environment to stand where the library puts the key.
func TestKeyNames(t *testing.T) {
	for _, c := range []struct{ pattern, prefix, want string }{
		{"", "run:", "lock:0"}, {"lock:{key}", "", "lock:lock:0"},
		{"lock:{key}", "run:", "lock:run:lock:0"},
	} {
		p := Plan{Keys: 1, Adapter: &Adapter{Key: c.pattern}}
		if got := p.keyNames(c.prefix); !slices.Equal(got, []string{c.want}) {
			t.Errorf("%q with %q: %q", c.pattern, c.prefix, got)
		}
	}
}
