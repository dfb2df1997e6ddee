package rules

import (
	"slices"
	"strconv"

	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/checker/trace"
	"github.com/lockbench/lockbench/internal/history"
)

// This file finds clients that have one token. A lock that compares tokens takes one of them for
// the other.

// sharedToken returns the token that made a command of one client pass for the owner's, or "". The
// command compares the token of both holds with the value of the key: a script, a deletion that
// names a value, or one after a look. The client's own hold, b, is nil if it is not known.
func (c keyFacts) sharedToken(a, b *record.Hold, m *history.Command) string {
	if b == nil || a.Process == b.Process {
		return ""
	}
	tokens := c.tokensOf(b)
	for _, v := range c.tokensOf(a) {
		if slices.Contains(tokens, v) &&
			(compares(m) && slices.Contains(m.Args, v) || c.readBefore(m, v)) {
			return v
		}
	}
	return ""
}

// readBefore reports whether the sender of a deletion had read a value there in the same call.
func (c keyFacts) readBefore(m *history.Command, value string) bool {
	return c.trace.Frees(m) && slices.ContainsFunc(c.trace.OfKey(trace.Key(m)),
		func(r *history.Command) bool {
			return r.Process == m.Process && r.N == m.N && r.Node == m.Node && r.Sent < m.Sent &&
				slices.Contains(valued, trace.Verb(r)) && r.Reply == value
		})
}

// valued are the commands whose reply is a value, and that change none.
var valued = []string{"GET", "GETEX", "HGET"}

// compares reports whether a command may compare a value with the key's value.
func compares(m *history.Command) bool {
	e := trace.EffectOf(m.Args)
	return e.Compares || e.Kind == trace.Script
}

// tokensOf returns the values that a hold's grant wrote as the value or the field of the key. For a
// script with unknown commands, these are the arguments that a release of the same hold also has.
func (c keyFacts) tokensOf(h *record.Hold) (tokens []string) {
	g := c.trace.GrantOf(h)
	if g == nil {
		return nil
	}
	for _, args := range append([][]string{g.Args}, g.Effects...) {
		if token := tokenIn(args, trace.Key(g)); token != "" {
			tokens = append(tokens, token)
		}
	}
	if len(tokens) > 0 {
		return tokens
	}
	for _, v := range trace.Inputs(g) {
		lease := strconv.FormatInt(c.history.Header.LeaseOf(h.Process).D().Milliseconds(), 10)
		if len(v) >= shortestValue && v != lease && c.releasedWith(h, v) {
			tokens = append(tokens, v)
		}
	}
	return tokens
}

// tokenIn returns the value or the field that a command wrote in a key, or "". Of both it is the
// value, as all clients may have one field, unless that is too short to name a client.
func tokenIn(args []string, key string) string {
	e := trace.EffectOf(args)
	if e.Key != key || !e.Kind.Writes() || e.Kind == trace.Script {
		return ""
	}
	if value := args[min(3, len(args)-1)]; e.Kind == trace.Field && len(value) >= shortestValue {
		return value
	}
	return e.Value
}

// releasedWith reports whether a command of a hold's release names a value.
func (c keyFacts) releasedWith(h *record.Hold, v string) bool {
	return slices.ContainsFunc(c.trace.SentWithin(h.Process, h.From, record.Forever),
		func(m *history.Command) bool {
			return (m.N == h.N || m.N == 0) && c.trace.Releasing(m) &&
				(slices.Contains(trace.Inputs(m), v) || trace.EffectOf(m.Args).Is == v)
		})
}
