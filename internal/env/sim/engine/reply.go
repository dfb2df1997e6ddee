package engine

import (
	"strconv"

	"github.com/lockbench/lockbench/internal/base/resp"
)

// reply writes the reply to a command. Its methods write forms that several commands share.
type reply struct{ resp.Writer }

func (r *reply) names(all []field) {
	r.Array(len(all))
	for _, f := range all {
		r.Bulk(f.name)
	}
}

func (r *reply) bulks(all []string) {
	r.Array(len(all))
	for _, s := range all {
		r.Bulk(s)
	}
}

// scanned replies the end of a scan with all found entries.
func (r *reply) scanned(all []string) {
	r.Array(2)
	r.Bulk("0")
	r.bulks(all)
}

// ranking replies elements, with their scores if scores is true.
func (r *reply) ranking(all []field, scores bool) {
	if !scores {
		r.names(all)
		return
	}
	r.pairs(len(all))
	for _, f := range all {
		r.pair(f)
	}
}

// old replies the former text of a key.
func (r *reply) old(v *value) {
	if v == nil {
		r.Null()
	} else {
		r.Bulk(v.str)
	}
}

// fieldOf replies the value of a field of a hash, which may be nil.
func (r *reply) fieldOf(v *value, name string) {
	if i := v.fieldIndex(name); i >= 0 {
		r.Bulk(v.fields[i].value)
	} else {
		r.Null()
	}
}

// pair replies an element and its score, in RESP3 as an array of its own.
func (r *reply) pair(f field) {
	if r.Three {
		r.Array(2)
	}
	r.Bulk(f.name)
	r.Double(f.value)
}

// pairs starts the reply of n elements with their scores.
func (r *reply) pairs(n int) {
	if !r.Three {
		n *= 2
	}
	r.Array(n)
}

// subscription replies a change of a session's subscriptions, and how many it has now.
func (r *reply) subscription(s *Session, what string, channel *string) {
	r.Push(3)
	r.Bulk(what)
	if channel == nil {
		r.Null()
	} else {
		r.Bulk(*channel)
	}
	r.Integer(int64(len(s.subs) + len(s.patterns)))
}

// The errors that several commands have.
const (
	wrongType  = "WRONGTYPE Operation against a key holding the wrong kind of value"
	syntax     = "ERR syntax error"
	notInteger = "ERR value is not an integer or out of range"
	overflow   = "ERR increment or decrement would overflow"
)

// integer reads a number as Redis does: no sign but a minus, no leading zero, no space.
func integer(s string) (int64, bool) {
	n, err := strconv.ParseInt(s, 10, 64)
	return n, err == nil && strconv.FormatInt(n, 10) == s
}
