package impls

import (
	"context"
	_ "embed"
	"fmt"
)

var (
	//go:embed setnx_expire_posted.lua
	setnxExpirePostedSource string
	//go:embed release_posted.lua
	releasePostedSource string

	setnxExpirePostedScript = lua(setnxExpirePostedSource)
	releasePostedScript     = lua(releasePostedSource)
)

// setnxExpireLuaPosted behaves like the code of D004 §1.3. It declares a lease of 20 s, which it
// never grants. Known defects: the value travels as a key and the key as an argument, which a Redis
// Cluster refuses. The code compares the reply, the number 1, with the text "1" (D004 line 54); in
// Java they are never equal, so Acquire says false while the lock is taken for 20 s. The release
// makes the same comparison (D004 line 82) and always says false.
type setnxExpireLuaPosted struct {
	Setup
}

// postedValue is the owner value that D004 line 49 stores: one for the whole application.
const postedValue = "app-1-lock"

func newSetnxExpireLuaPosted(s Setup) (Lock, error) { return &setnxExpireLuaPosted{s}, nil }

// Acquire polls with the script and misreads every reply, so it is never granted. A call that took
// the lock says so with ErrChanged.
func (l *setnxExpireLuaPosted) Acquire(ctx context.Context) (Grant, error) {
	return l.acquire(ctx, l.try, l.Release)
}

func (l *setnxExpireLuaPosted) try(ctx context.Context) (Grant, bool, error) {
	_, amount := expiry(l.Options.TTL)
	g := Grant{Sent: l.Env.Elapsed(), Lease: l.Options.TTL, Value: postedValue}
	reply, err := l.eval(ctx, setnxExpirePostedScript, []string{l.Key(), postedValue}, l.Key(),
		amount).Result()
	if err != nil {
		return g, false, err
	}
	if reply == int64(1) {
		return g, equalsInJava("1", reply), errLeft
	}
	return g, equalsInJava("1", reply), nil
}

// Release runs the script and misreads its reply in the same way.
func (l *setnxExpireLuaPosted) Release(ctx context.Context, _ Grant) error {
	keys := []string{l.Key(), postedValue}
	reply, err := l.Client().Eval(ctx, releasePostedScript, keys).Result()
	if err == nil && !equalsInJava("1", reply) {
		err = changed(fmt.Errorf(`%w ("1".equals(1L) is false)`, ErrNotOwner), reply == int64(1))
	}
	return err
}

// equalsInJava behaves like String.equals: it is false for a reply of another type.
func equalsInJava(s string, reply any) bool {
	t, ok := reply.(string)
	return ok && t == s
}
