package cluster

import (
	"testing"

	"github.com/lockbench/lockbench/internal/history"
)

// TestServersCountTheKeysThatGo: deletions, also those of scripts, and what empties a server. One
// that was killed and came back does not know what it counted before. What a fault of the run
// deleted is not counted.
func TestServersCountTheKeysThatGo(t *testing.T) {
	b := newBench(t)
	for _, words := range [][]any{{"SET", "a", 1}, {"DEL", "a", "b"}, {"UNLINK", "a"},
		{"EVAL", "return redis.call('del', KEYS[1])", 1, "a"}, {"FLUSHDB"}} {
		b.must(b.direct.Do(t.Context(), words...).Err())
	}
	b.must(b.Flush("n0"))
	all := b.Counters()
	if len(all) != 1 || all[0] != (history.Counters{Node: "n0", Deleted: 3, Emptied: 1}) {
		t.Errorf("it counted %v", all)
	}
	b.must(b.KillNode("n0"))
	if all := b.Counters(); len(all) > 0 {
		t.Errorf("a dead server counted %v", all)
	}
	b.must(b.StartNode("n0"))
	if all := b.Counters(); len(all) > 0 {
		t.Errorf("a server that was killed counted %v", all)
	}
}
