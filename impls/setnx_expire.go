package impls

import "context"

// setnxExpire is SETNX and EXPIRE as two commands, released by DEL (D003 §2, D004 §1.2). It
// declares a lease. Known defects: a crash between the two leaves a lock without an end (D003 line
// 6, D004 line 36), and so does an EXPIRE that fails; EXPIRE's reply is ignored; any client can
// delete the key (D004 line 62). D004 passes 10000 to EXPIRE, which counts seconds, and 20000 to
// PX, which counts milliseconds: the documented lease lasts almost three hours.
type setnxExpire struct {
	Setup
}

func newSetnxExpire(s Setup) (Lock, error) { return &setnxExpire{s}, nil }

// Acquire polls with SETNX, and gives the key its lease once it is there.
func (l *setnxExpire) Acquire(ctx context.Context) (Grant, error) {
	return l.acquire(ctx, l.try, l.Release)
}

func (l *setnxExpire) try(ctx context.Context) (Grant, bool, error) {
	g := Grant{Sent: l.Env.Elapsed(), Lease: l.Options.TTL, Value: l.Env.Token()}
	n, err := l.Client().Do(ctx, "SETNX", l.Key(), g.Value).Int()
	if err != nil || n == 0 {
		return g, false, err
	}
	command, amount := expiry(l.Options.TTL)
	if err := l.send(ctx, command, l.Key(), amount).Err(); err != nil {
		return g, false, attemptError(err) // an exception: the key stays, without an end
	}
	return g, true, nil
}

// Release deletes the key, whichever client has it.
func (l *setnxExpire) Release(ctx context.Context, _ Grant) error {
	return l.Client().Do(ctx, "DEL", l.Key()).Err()
}
