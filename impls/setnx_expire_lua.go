package impls

import (
	"context"
	_ "embed"
	"strings"
)

//go:embed setnx_expire.lua
var setnxExpireSource string

var setnxExpireScript = lua(setnxExpireSource)

// setnxExpireLua is SETNX and EXPIRE in one script, released by compare-and-delete, as D004 §1.3
// and §2.3 means it. It declares a lease. It is what token-lua is, for servers before 2.6.12; its
// defects are the same.
type setnxExpireLua struct {
	Setup
	script string
}

func newSetnxExpireLua(s Setup) (Lock, error) {
	command, _ := expiry(s.Options.TTL)
	return &setnxExpireLua{s, strings.Replace(setnxExpireScript, "'expire'", "'"+command+"'", 1)}, nil
}

// Acquire polls with the script.
func (l *setnxExpireLua) Acquire(ctx context.Context) (Grant, error) {
	return l.acquire(ctx, l.try, l.Release)
}

func (l *setnxExpireLua) try(ctx context.Context) (Grant, bool, error) {
	_, amount := expiry(l.Options.TTL)
	g := Grant{Sent: l.Env.Elapsed(), Lease: l.Options.TTL, Value: l.Env.Token()}
	n, err := l.eval(ctx, l.script, l.Keys, g.Value, amount).Int()
	return g, n == 1, err
}

// Release deletes the key if it holds this attempt's value.
func (l *setnxExpireLua) Release(ctx context.Context, g Grant) error {
	return l.compareDelete(ctx, g.Value)
}
