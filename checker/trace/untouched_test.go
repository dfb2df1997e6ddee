package trace

import (
	"slices"
	"testing"

	"github.com/lockbench/lockbench/internal/history"
)

// TestKeysInBracesAreLocks: a key wholly in braces is the lock, and others with braces are not.
func TestKeysInBracesAreLocks(t *testing.T) {
	names := NamesOf([]string{"lock:0"})
	for key, want := range map[string]bool{
		"lock:0": true, "{lock:0}": true, "app:lock:0": true, "{app:lock:0}": true,
		"queue:{lock:0}": false, "{lock:0}:queue": false, "{lock:0": false, "{}": false, "lock:00": false,
	} {
		if _, known := names.Lock(key); known != want {
			t.Errorf("%s: a lock %v, want %v", key, known, want)
		}
	}
}

// TestUntouchedKeysAreToldOf: a granted lock whose key no command names, and those next to it.
func TestUntouchedKeysAreToldOf(t *testing.T) {
	h := &history.History{Header: history.Header{Names: []string{"lock:0", "lock:1"}},
		Events: []history.Event{{Type: history.OK, F: history.Acquire, Key: history.Ptr(0)},
			{Type: history.Fail, F: history.Acquire, Key: history.Ptr(1)}}}
	for name, c := range map[string]struct {
		commands []history.Command
		want     []string
	}{
		"another key":         {args("SET", "locks/lock:0", "1"), []string{"lock:0"}},
		"its key":             {args("SET", "lock:0", "1"), nil},
		"the key of a script": {args("EVALSHA", "x", "2", "q", "{lock:0}"), nil},
		"in an effect": {[]history.Command{{Args: []string{"EVALSHA", "x", "0"},
			Effects: [][]string{{"set", "lock:0"}}}}, nil},
		"a system without any": {nil, nil},
	} {
		if got := UntracedKeys(h, c.commands); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func args(words ...string) []history.Command { return []history.Command{{Args: words}} }
