package impls

import (
	"context"
	_ "embed"
	"errors"
	"fmt"

	"github.com/redis/go-redis/v9"
)

//go:embed extend.lua
var extendSource string

var extendScript = lua(extendSource)

// Extend starts a new lease on all masters that still have the grant's value. It succeeds if they
// are a majority and the remaining validity was not used up meanwhile. Options.MaxRenewals limits
// how often, since the description asks for a limit.
func (l *redlock) Extend(ctx context.Context, g Grant) (Grant, error) {
	if n := l.Options.MaxRenewals; n > 0 && l.renewed >= n {
		return g, fmt.Errorf("%w: extended %d times already", ErrNotOwner, n)
	}
	sent := l.Env.Elapsed()
	v := l.each(ctx, func(ctx context.Context, i int) (bool, error) {
		n, err := l.Redis[i].Eval(ctx, extendScript, l.Keys, g.Value, l.Options.TTL.Milliseconds()).Int()
		return n == 1, err
	})
	if err := l.majority(v); err != nil {
		return g, err
	}
	if l.Env.Elapsed() >= g.ValidUntil {
		return g, changed(fmt.Errorf("%w: the validity was over before a majority had answered",
			ErrNotOwner), true)
	}
	l.renewed++
	g.Sent, g.ValidUntil = sent, sent+l.Options.TTL-l.drift()
	return g, nil
}

// notNil makes redis.Nil, a refused SET NX, no error.
func notNil(err error) error {
	if errors.Is(err, redis.Nil) {
		return nil
	}
	return err
}
