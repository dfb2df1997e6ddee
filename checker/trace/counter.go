package trace

import (
	"slices"
	"strconv"

	"github.com/lockbench/lockbench/internal/history"
)

// Counter is what a command counts up: a key, or the field of one.
type Counter struct{ Key, Field string }

// CountedOn reports whether a command counted up this counter alone, and found it counted already.
func (r *Reader) CountedOn(m *history.Command, counter Counter) bool {
	n, err := strconv.ParseInt(m.Reply, 10, 64)
	return err == nil && slices.Equal(r.Counters(m), []Counter{counter}) && n > increment(r.did(m))
}

// increment returns the increment of the one command that counts.
func increment(did [][]string) int64 {
	for _, args := range did {
		if verb(args) == "INCRBY" || verb(args) == "HINCRBY" {
			n, _ := strconv.ParseInt(args[len(args)-1], 10, 64)
			return n
		}
	}
	return 1
}

// Counters returns what an answered command counted up, by itself or in a script whose commands are
// known. A script that also asks for a time to live may answer with that: it counts nothing here.
func (r *Reader) Counters(m *history.Command) (out []Counter) {
	if !Answered(m) {
		return nil
	}
	for _, args := range r.did(m) {
		switch e := EffectOf(args); {
		case verb(args) == "TTL" || verb(args) == "PTTL":
			return nil
		case e.Kind == Count && !CountsDown(args):
			out = append(out, Counter{e.Key, e.Value})
		}
	}
	return out
}

// Overwrites reports whether a command that took a key overwrote it without a condition. All
// commands of a script must be known, and none may have read before.
func (r *Reader) Overwrites(m *history.Command) bool {
	return r.WritesUnasked(m) || EffectOf(m.Args).Kind == Swap
}

// CountsUnasked reports whether a command counted its key up and did nothing else with it, except
// to set its lease: no read can have made it refuse.
func (r *Reader) CountsUnasked(m *history.Command) bool {
	counted := false
	for _, args := range r.did(m) {
		switch e := EffectOf(args); {
		case e.Key != Key(m) || e.Kind == Expire:
		case e.Kind == Count:
			counted = true
		default:
			return false
		}
	}
	return counted
}

// WritesUnasked reports whether a command wrote its key without a condition, and did not get the
// old value.
func (r *Reader) WritesUnasked(m *history.Command) bool {
	did := r.did(m)
	i := slices.IndexFunc(did, func(args []string) bool { return EffectOf(args).Key == Key(m) })
	return i >= 0 && EffectOf(did[i]).Kind == Write && !has(did[i], "GET")
}
