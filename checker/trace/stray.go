package trace

import (
	"cmp"
	"math"
	"slices"

	"github.com/lockbench/lockbench/internal/history"
)

// Held describes the key of a client: the client took it by Since, and its lease lasts until Until.
type Held struct {
	Process      int
	Since, Until int64
}

// Strays reports whether a renewal that compares nothing may have found the key of another client.
// The lease of the first client's key may have been over when the server executed the renewal, and
// another client may have taken the free key before. OfKey are the commands about the key. A
// deletion may be why the key was free, so that the lease need not have been over.
func Strays(r *Reader, ofKey []*history.Command, m *history.Command, held Held) bool {
	if m.Recv <= held.Until || compares(r, m) {
		return false
	}
	taken, first := false, int64(math.MaxInt64) // until then another client took the key
	for _, k := range ofKey {
		if k.Node == m.Node && k.Process != held.Process && k.Sent < m.Recv &&
			answeredAt(k) > held.Until && mayTakeFree(r, k) {
			taken, first = true, min(first, answeredAt(k))
		}
	}
	return taken && !slices.ContainsFunc(ofKey, func(k *history.Command) bool {
		return k.Node == m.Node && k.Sent >= held.Since && k.Sent < min(first, m.Recv) &&
			r.MayHaveDeleted(k)
	})
}

// mayTakeFree reports whether a command took a free key, or may have.
func mayTakeFree(r *Reader, m *history.Command) bool {
	return r.TakesFree(m) || Unsure(m) && EffectOf(m.Args).Kind == Take
}

// answeredAt returns when a command was answered, or the end of time.
func answeredAt(m *history.Command) int64 {
	if Answered(m) {
		return m.Recv
	}
	return math.MaxInt64
}

// compares reports whether a renewal may have looked whose key it is: it names a value, its script
// read the key, or what its script did is not known.
func compares(r *Reader, m *history.Command) bool {
	did := r.did(m)
	return len(did) == 0 || slices.ContainsFunc(did, func(args []string) bool {
		e := EffectOf(args)
		return e.Compares || e.Kind == None && silent[verb(args)] && slices.Contains(args, Key(m))
	})
}

// sending names the commands that a process sent at a stamp.
type sending struct {
	process int
	at      int64
}

// strays returns the sendings of all renewals that may have found the key of another client. Drift
// is that of the server's clock.
func strays(r *Reader, commands []history.Command, drift float64) map[sending]bool {
	byPlace := map[Place][]*history.Command{}
	for i := range commands {
		m := &commands[i]
		byPlace[PlaceOf(m)] = append(byPlace[PlaceOf(m)], m)
	}
	out := map[sending]bool{}
	for _, ms := range byPlace {
		slices.SortStableFunc(ms, func(a, b *history.Command) int {
			return cmp.Compare(a.Sent, b.Sent)
		})
		held := map[int]Held{}
		for _, m := range ms {
			h, holds := held[m.Process]
			d, known := r.Asked(m)
			until := m.Sent + int64(float64(d)*(1-drift))
			switch {
			case r.TakesFree(m) && known:
				held[m.Process] = Held{m.Process, m.Recv, until}
			case r.TakesFree(m), givesLease(r, m) && !known:
				delete(held, m.Process)
			case !holds || !givesLease(r, m):
			case Strays(r, ms, m, h):
				out[sending{m.Process, m.Sent}] = true
			default:
				h.Until = until
				held[m.Process] = h
			}
		}
	}
	return out
}
