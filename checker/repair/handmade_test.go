package repair_test

import (
	"context"
	"crypto/rand"
	"errors"
	"strconv"
	"time"

	"github.com/lockbench/lockbench/adapters"
	"github.com/lockbench/lockbench/impls"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/workloads"
	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
)

// A handmade lock is a SET NX PX with an owner check, and a defect that the locks of the table do
// not have.
type handmade struct {
	looks    bool // it looks at the key, and then sets it
	short    bool // its lease is a part of the one that it promises
	open     bool // it takes an error for a grant
	hides    bool // it calls each third grant a refusal
	late     bool // it counts the validity from the reply
	once     bool // it counts the validity from the first try, and enters even if it is over
	forgets  bool // a release does not know the value
	curtails bool // a renewal gives the key less than the lease
	renews   bool // the key, without comparing the value
	gives    bool // it gives up its renewals when one fails
	clings   bool // it renews on after a release that failed
	tells    bool // it tells its holder in time that its lease will be over
	digests  bool // it sends its script by its digest alone
	hangs    bool // its calls have one connection in turn, and keep it after an error
	mended   bool // the defect is repaired

	redis  *redis.Client
	key    string
	ttl    time.Duration
	client workloads.LinkedClient
	value  string
	tries  int
	stop   context.CancelFunc
	turn   chan struct{} // whose call has the connection
}

// handmades has the locks by the names that the table gives them.
var handmades = map[string]handmade{
	"GET, then SET":                  {looks: true},
	"a lease counted from its reply": {late: true},
	"a grant that came too late":     {once: true},
	"a lease cut short":              {short: true},
	"an error taken for a grant":     {open: true},
	"a grant called a refusal":       {hides: true},
	"another value at release":       {forgets: true},
	"a lock that tells":              {tells: true},
	"a renewal that cuts short":      {renews: true, curtails: true},
	"a renewal without owner check":  {renews: true},
	"a renewal that goes on":         {renews: true, clings: true},
	"a renewal that gives up":        {renews: true, gives: true},
	"a script known by its digest":   {digests: true},
	"a connection that is kept":      {hangs: true},
}

// options returns the options that run a handmade lock in the simulator.
func (l handmade) options(name string) harness.RunOptions {
	if l.mended {
		name += " (mended)"
	}
	m := adapters.Manifest{Name: name, Language: "go", Topology: "single", Clock: "none",
		Declares: adapters.Declares{Lease: true, Watchdog: l.renews, Validity: l.late || l.once,
			Loss: l.tells},
		Defaults: adapters.Defaults{Poll: adapters.OwnTime(100 * time.Millisecond)}}
	o := harness.RunOptions{Linked: &m, TTL: time.Second}
	if l.hangs {
		o.AcquireTimeout = o.TTL / 4
	}
	if l.gives {
		o.ClientTimeout, o.ClientRetries = 100*time.Millisecond, new(int)
	}
	workloads.Link(name, workloads.Linkage{Open: l.connect, Lease: o.TTL})
	return o
}

// connect makes the lock of one client.
func (l handmade) connect(c workloads.LinkedClient) (workloads.LinkedLock, error) {
	l.client, l.key, l.ttl = c, c.Keys[0], c.TTL.D()
	l.redis = redis.NewClient(&redis.Options{Addr: c.Address(0), Dialer: c.Dial, Protocol: 2,
		DisableIdentity: true, MaxRetries: -1, MinRetryBackoff: -1, MaxRetryBackoff: -1,
		PoolSize: 64, MaintNotificationsConfig: &maintnotifications.Config{
			Mode: maintnotifications.ModeDisabled}})
	l.turn = make(chan struct{}, 1)
	if l.digests {
		return &l, grant.Load(c.Life, l.redis).Err()
	}
	return &l, nil
}

var errTaken = errors.New("taken")

func (l *handmade) Acquire(ctx context.Context, n int, _ []string, wait time.Duration) (
	workloads.Said, error) {
	from := time.Now()
	for until := from.Add(wait); ; {
		l.value = rand.Text()
		if !l.once || l.mended {
			from = time.Now()
		}
		err := l.take(ctx)
		switch {
		case err == nil:
			l.hold(n)
			return l.promise(from), nil
		case !errors.Is(err, errTaken):
			return workloads.Said{}, err
		case time.Now().Add(l.client.Poll.D()).After(until):
			return workloads.Said{}, workloads.RefusedError{Why: history.Taken}
		}
		if err := l.client.Env.Sleep(ctx, l.client.Poll.D()); err != nil {
			return workloads.Said{}, err
		}
	}
}

// promise returns what the lock says of a hold that it asked for at a time.
func (l *handmade) promise(from time.Time) (said workloads.Said) {
	if l.late && !l.mended {
		from = time.Now()
	}
	if l.late || l.once {
		said.ValidUntil = from.Add(l.ttl)
	}
	return said
}

// take asks once.
func (l *handmade) take(ctx context.Context) error {
	switch {
	case l.digests:
		return l.evaluate(ctx)
	case l.hangs:
		return l.inTurn(ctx)
	}
	return l.set(ctx)
}

// inTurn asks once, on the only connection.
func (l *handmade) inTurn(ctx context.Context) error {
	select {
	case l.turn <- struct{}{}:
	case <-l.client.Life.Done():
		return l.client.Life.Err()
	}
	err := l.set(ctx)
	if err == nil || err == errTaken || l.mended {
		<-l.turn
	}
	return err
}

// set asks once by a SET.
func (l *handmade) set(ctx context.Context) error {
	set := redis.SetArgs{Mode: "NX", TTL: l.ttl}
	if l.short && !l.mended {
		set.TTL /= 4
	}
	if l.looks && !l.mended {
		if err := l.redis.Get(ctx, l.key).Err(); err != redis.Nil {
			return errTaken
		}
		set.Mode = ""
	}
	err := l.redis.SetArgs(ctx, l.key, l.value, set).Err()
	l.tries++
	switch {
	case err == redis.Nil, l.hides && l.tries%3 == 0:
		return l.refuse(ctx)
	case l.open && !l.mended:
		return nil
	}
	return err
}

// evaluate asks once by a script.
func (l *handmade) evaluate(ctx context.Context) error {
	run := grant.EvalSha
	if l.mended {
		run = grant.Run
	}
	err := run(ctx, l.redis, []string{l.key}, l.value, l.ttl.Milliseconds()).Err()
	if err == redis.Nil {
		return errTaken
	}
	return err
}

var grant = redis.NewScript(
	`return redis.call("set", KEYS[1], ARGV[1], "NX", "PX", ARGV[2])`)

// refuse gives back what the call may have written.
func (l *handmade) refuse(ctx context.Context) error {
	if l.hides && l.mended {
		if err := release.Run(ctx, l.redis, []string{l.key}, l.value).Err(); err != nil {
			return err
		}
	}
	return errTaken
}

// hold starts what goes on during a hold: the renewals, or the notice at half of the lease.
func (l *handmade) hold(n int) {
	if l.tells {
		timer := time.AfterFunc(l.ttl/2, func() { l.client.Lost(n, "a timer") })
		l.stop = func() { timer.Stop() }
	}
	if !l.renews {
		return
	}
	lease := l.ttl
	if l.curtails && !l.mended {
		lease /= 6
	}
	ctx, stop := context.WithCancel(l.client.Life)
	l.stop = stop
	go func() {
		for l.client.Env.Sleep(ctx, l.ttl/3) == nil {
			if l.renew(ctx, lease) != nil && l.gives && !l.mended {
				return
			}
		}
	}()
}

// renew gives the key a new lease, also another client's. The repaired lock compares the value.
func (l *handmade) renew(ctx context.Context, lease time.Duration) error {
	if l.mended {
		return renewal.Run(ctx, l.redis, []string{l.key}, l.value, lease.Milliseconds()).Err()
	}
	return l.redis.PExpire(ctx, l.key, lease).Err()
}

var renewal = redis.NewScript(`return redis.call("get", KEYS[1]) == ARGV[1] and ` +
	`redis.call("pexpire", KEYS[1], ARGV[2]) or 0`)

var release = redis.NewScript(
	`return redis.call("get", KEYS[1]) == ARGV[1] and redis.call("del", KEYS[1]) or 0`)

func (l *handmade) Release(ctx context.Context, _ int) error {
	if l.stop != nil && (!l.clings || l.mended) {
		l.stop()
	}
	if l.forgets {
		return l.compare(ctx)
	}
	n, err := release.Run(ctx, l.redis, []string{l.key}, l.value).Int()
	if err == nil && l.stop != nil {
		l.stop()
	}
	if err == nil && n == 0 {
		err = impls.ErrNotOwner
	}
	return err
}

// compare looks at the value, and then deletes the key.
func (l *handmade) compare(ctx context.Context) error {
	written := l.value
	if !l.mended {
		written = strconv.Quote(l.value)
	}
	if l.redis.Get(ctx, l.key).Val() != written {
		return impls.ErrNotOwner
	}
	return l.redis.Del(ctx, l.key).Err()
}

func (l *handmade) Close() {
	if l.stop != nil {
		l.stop()
	}
	_ = l.redis.Close()
}
