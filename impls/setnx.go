package impls

import "context"

// setnx is SETNX and DEL, nothing more (D003 §1). It declares nothing: the key has no lease. Known
// defects: a client that crashes while inside locks all others out for ever (D003 line 3); any
// client can delete the key; a DEL that a failover loses brings the lock back for ever.
type setnx struct {
	Setup
}

func newSetnx(s Setup) (Lock, error) { return &setnx{s}, nil }

// Acquire polls with SETNX.
func (l *setnx) Acquire(ctx context.Context) (Grant, error) {
	return l.acquire(ctx, l.try, l.Release)
}

func (l *setnx) try(ctx context.Context) (Grant, bool, error) {
	g := Grant{Sent: l.Env.Elapsed(), Value: l.Env.Token()}
	n, err := l.send(ctx, "SETNX", l.Key(), g.Value).Int()
	return g, n == 1, err
}

// Release deletes the key, whichever client has it.
func (l *setnx) Release(ctx context.Context, _ Grant) error {
	return l.Client().Do(ctx, "DEL", l.Key()).Err()
}
