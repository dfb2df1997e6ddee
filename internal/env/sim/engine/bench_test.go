package engine

import "testing"

// BenchmarkDo measures single commands. Those of a lock that is held change nothing, so that each
// is like the one before.
func BenchmarkDo(b *testing.B) {
	const held = "if (redis.call('exists', KEYS[1]) == 0) then return nil; end; " +
		"return redis.call('pttl', KEYS[1]);"
	for _, c := range []struct {
		name string
		args []string
	}{
		{"SET NX PX", []string{"SET", "k", "v", "NX", "PX", "1000"}},
		{"GET", []string{"GET", "k"}},
		{"EVAL compare and delete", []string{"EVAL", release, "1", "k", "the value of another client"}},
		{"EVAL rest of the lease", []string{"EVAL", held, "1", "k"}},
	} {
		b.Run(c.name, func(b *testing.B) {
			e := New()
			s := e.Open(func([]byte) {})
			e.Do(0, s, []string{"SET", "k", "v", "PX", "1000"})
			b.ReportAllocs()
			for b.Loop() {
				e.Do(0, s, c.args)
			}
		})
	}
}

// release is Redis' own script for giving a lock back.
const release = "if redis.call('get', KEYS[1]) == ARGV[1] then " +
	"return redis.call('del', KEYS[1]) else return 0 end"
