package adapter

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockbench/lockbench/adapters"
	"github.com/lockbench/lockbench/internal/base/proc"
	"github.com/lockbench/lockbench/internal/dev/testenv"
)

// oddLock is SET NX PX, then compare and delete, with a peculiarity.
type oddLock struct {
	redis *redis.Client
	key   string
	unit  time.Duration // of the lease that it is told; if zero, a millisecond
	lease time.Duration
	// how long a client that has been in needs to make the lock anew after all keys were lost
	recovers time.Duration
	started  bool
	keeps    bool // its key, after a release
	blind    bool // it extends the lease of any client
}

// playOdd plays such a lock. Its lease is the number of milliseconds that it is told, in its unit.
func playOdd(p adapterPart, l oddLock) {
	p.in.Scan()
	var c Config
	_ = json.Unmarshal(p.in.Bytes(), &c)
	l.redis, l.key = redis.NewClient(&redis.Options{Addr: c.Redis[0]}), c.Keys[0]
	l.lease = time.Duration(c.TTL) * cmp.Or(l.unit, time.Millisecond)
	p.say(`{"is":"ready","pid":%d}`, os.Getpid())
	for {
		switch o := p.next(); o.Do {
		case doTouch:
			p.done(isTouched, o)
		case doRelease:
			p.begun(o)
			p.done(l.release(o), o)
		case doExtend:
			p.begun(o)
			p.done(l.extend(o), o)
		case doAcquire:
			p.begun(o)
			if l.acquire(o) {
				p.done(isAcquired, o)
			} else {
				p.say(`{"is":"refused","why":"gave-up","n":%d,"t":%d}`, o.N, proc.Monotonic())
			}
		}
	}
}

// owner returns the value of an acquisition.
func owner(o Order) string { return fmt.Sprint(os.Getpid(), ".", o.N) }

func (l *oddLock) acquire(o Order) bool {
	ctx, wait := context.Background(), time.Duration(*o.Wait)*time.Millisecond
	if l.recovers > 0 && l.redis.SetNX(ctx, "made:"+l.key, 1, 0).Val() && l.started {
		if l.redis.Del(ctx, "made:"+l.key); wait < l.recovers {
			return false
		}
		time.Sleep(l.recovers)
		l.redis.Set(ctx, "made:"+l.key, 1, 0)
	}
	l.started = true
	for end := time.Now().Add(wait); ; time.Sleep(20 * time.Millisecond) {
		if l.redis.SetNX(ctx, l.key, owner(o), l.lease).Val() {
			for l.lease < checkWait && l.redis.Exists(ctx, l.key).Val() > 0 {
				time.Sleep(time.Millisecond) // so that the check finds no key, however fast it is
			}
			return true
		}
		if time.Now().After(end) {
			return false
		}
	}
}

func (l *oddLock) release(o Order) string {
	ctx := context.Background()
	if l.redis.Get(ctx, l.key).Val() != owner(o) {
		return isNotOwner
	}
	if !l.keeps {
		l.redis.Del(ctx, l.key)
	}
	return isReleased
}

func (l *oddLock) extend(o Order) string {
	ctx := context.Background()
	if !l.blind && l.redis.Get(ctx, l.key).Val() != owner(o) ||
		!l.redis.PExpire(ctx, l.key, l.lease).Val() {
		return isNotOwner
	}
	return isExtended
}

// TestALeaseThatEndsAtOnce wants the check to name the lease, and no other reason why there is no
// key.
func TestALeaseThatEndsAtOnce(t *testing.T) {
	found := askedOf(t, "expires at once", adapters.Declares{Lease: true})
	bad := slices.DeleteFunc(found, func(f Finding) bool { return f.OK })
	if !slices.ContainsFunc(bad, func(f Finding) bool {
		return strings.Contains(f.Found, "PX and PEXPIRE count milliseconds") ||
			strings.Contains(f.Found, "this machine is slow")
	}) {
		t.Errorf("it finds %v", bad)
	}
	for _, f := range bad {
		if strings.Contains(f.Found, "addresses") || strings.Contains(f.Found, "under key") {
			t.Errorf("%s: %s", f.Asked, f.Found)
		}
	}
}

// TestALockThatRecoversSlowly wants a right lock to get the time to recover after the check emptied
// the servers.
func TestALockThatRecoversSlowly(t *testing.T) {
	for _, f := range askedOf(t, "recovers slowly", adapters.Declares{Lease: true}) {
		if !f.OK {
			t.Errorf("%s: %s", f.Asked, f.Found)
		}
	}
}

// TestALockThatKeepsItsKey wants the check to name minimum_hold, to find nothing wrong once the
// adapter declares it, and to find a key that was not kept as declared.
func TestALockThatKeepsItsKey(t *testing.T) {
	const keeps, kept = "keeps its key", "as declared, the key outlives a release"
	for _, c := range []struct {
		part, wrong, says string
		least             time.Duration
	}{
		{keeps, "then the second client acquires", "says minimum_hold in adapter.yaml", 0},
		{keeps, "", "", time.Hour},
		{"deletes its key", kept, "minimum_hold says 1h0m0s", time.Hour},
	} {
		var wrong, says string
		for _, f := range askedOf(t, c.part, adapters.Declares{Lease: true,
			MinimumHold: adapters.Duration(c.least)}) {
			if !f.OK && !f.Optional && wrong == "" {
				wrong, says = f.Asked, f.Found
			}
		}
		if wrong != c.wrong || !strings.Contains(says, c.says) {
			t.Errorf("%s, and declares %v: %s: %s", c.part, c.least, wrong, says)
		}
	}
}

// TestALockThatExtendsAllLocks wants the check to find a renewal of another client's key, and
// nothing wrong with a lock that looks whose key it is.
func TestALockThatExtendsAllLocks(t *testing.T) {
	for part, want := range map[string]string{"extends all locks": foreignRenewed,
		"deletes its key": ""} {
		found := askedOf(t, part, adapters.Declares{Lease: true, Extends: true})
		i := slices.IndexFunc(found, func(f Finding) bool { return f.Asked == askedRenewal })
		if i < 0 || found[i].Found != want {
			t.Errorf("%s: %v", part, found)
		}
	}
}

func askedOf(t *testing.T, name string, declares adapters.Declares) []Finding {
	t.Helper()
	testenv.Part(t, "redis")
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	_, in := installed(t, name)
	in.Declares = declares
	found, err := Check(context.WithoutCancel(t.Context()), in, "")
	if err != nil {
		t.Fatal(err)
	}
	return found
}
