package impls

import "context"

// setpxDel is SET NX PX, released by a bare DEL (D003 §3; D004 §1.1 and §2.1). It declares a lease.
// Known defects: a holder that overran its lease deletes the lock of the client that came next
// (D003 lines 11–12, D004 line 62).
type setpxDel struct {
	*tokenLua
}

func newSetpxDel(s Setup) (Lock, error) { return &setpxDel{newToken(s)}, nil }

// Acquire polls with SET key value NX PX ttl.
func (l *setpxDel) Acquire(ctx context.Context) (Grant, error) { return l.take(ctx, l.Release) }

// Release deletes the key, whichever client has it.
func (l *setpxDel) Release(ctx context.Context, _ Grant) error {
	return l.Client().Do(ctx, "DEL", l.Key()).Err()
}
