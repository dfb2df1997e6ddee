package locktest

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/lockbench/lockbench/internal/dev/testenv"
)

// judged are locks of which a search must not say that they pass, by the name of the test that the
// program below runs.
var judged = map[string]struct {
	lock       Lock
	properties []string
	says       string
}{
	// The key is the name in braces, as Redis Cluster has it: it is known.
	"Braces": {keyed("{%}", ""), nil, ""},
	// Behind a prefix of its own it is not.
	"Prefix":      {keyed("locks/%", ""), nil, `no command of the clients names the key "lock:0"`},
	"PrefixNamed": {keyed("locks/%", "locks/{key}"), nil, ""},
	"BracesBlind": {blind("{%}"), []string{"O"}, "violates O"},
	// A command that the simulated Redis lacks, sometimes.
	"Lacking": {lacking(3), nil,
		"the first because: client 1: the simulated Redis has no GEOADD. A real Redis runs it: make"},
	"NoClient":  {never(), []string{"S"}, "a client was granted the lock in 0 of"},
	"OneClient": {only(), []string{"S"}, "two clients were granted the lock in 0 of"},
	"Hangs":     {hangs(), nil, "D is violated under none: "},
}

// TestJudged runs one of the locks above; it is run by TestWhatASearchMustNotPass.
func TestJudged(t *testing.T) {
	c, ok := judged[os.Getenv("LOCKTEST_JUDGED")]
	if !ok {
		t.Skip("it is run by TestWhatASearchMustNotPass")
	}
	c.lock.Name = "judged"
	Explore(t, c.lock, Options{Faults: []string{"none"}, Seeds: 40, For: time.Hour, Dir: t.TempDir(),
		Properties: c.properties})
}

func TestWhatASearchMustNotPass(t *testing.T) {
	testenv.SkipRace(t)
	for name, c := range judged {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run := exec.Command(os.Args[0], "-test.run", "^TestJudged$", "-test.v")
			run.Env = append(os.Environ(), "LOCKTEST_JUDGED="+name)
			out, err := run.CombinedOutput()
			if (err == nil) != (c.says == "") || !strings.Contains(string(out), c.says) {
				t.Errorf("%v, want %q:\n%s", err, c.says, out)
			}
		})
	}
}

// keyed is a right lock that keeps a name under another key.
func keyed(form, key string) Lock {
	return Lock{Key: key, New: func(c *Client) (Acquire, error) {
		r, name := c.Redis(), strings.ReplaceAll(form, "%", c.Key)
		return func(ctx context.Context) (h Hold, err error) {
			got, err := r.SetNX(ctx, name, c.Number, c.TTL).Result()
			if err == nil && !got {
				err = ErrTaken
			}
			h.Release = func(ctx context.Context) error {
				return r.Eval(ctx, `return redis.call("get", KEYS[1]) == ARGV[1] and
					redis.call("del", KEYS[1]) or 0`, []string{name}, c.Number).Err()
			}
			return h, err
		}, nil
	}}
}

// blind is a lock whose holder deletes the key, also if another client wrote it.
func blind(form string) Lock {
	return Lock{TTL: 200 * time.Millisecond, New: func(c *Client) (Acquire, error) {
		r, name := c.Redis(), strings.ReplaceAll(form, "%", c.Key)
		return func(ctx context.Context) (h Hold, err error) {
			got, err := r.SetNX(ctx, name, c.Number, c.TTL/4).Result()
			if err == nil && !got {
				err = ErrTaken
			}
			h.Release = func(ctx context.Context) error { return r.Del(ctx, name).Err() }
			return h, err
		}, nil
	}}
}

// lacking is a lock that in one of so many calls needs what the simulator does not have.
func lacking(one int) Lock {
	l := keyed("%", "")
	plain := l.New
	l.New = func(c *Client) (Acquire, error) {
		acquire, err := plain(c)
		calls := 0
		return func(ctx context.Context) (Hold, error) {
			if calls++; calls%one == 0 {
				c.Redis().Do(ctx, "GEOADD", "g", 1, 1, "a")
			}
			return acquire(ctx)
		}, err
	}
	return l
}

// never is a lock that is always another's.
func never() Lock {
	return Lock{New: func(c *Client) (Acquire, error) {
		r := c.Redis()
		return func(ctx context.Context) (Hold, error) {
			r.Get(ctx, c.Key)
			return Hold{}, ErrTaken
		}, nil
	}}
}

// only is a lock that no client but the first ever gets.
func only() Lock {
	l := keyed("%", "")
	plain := l.New
	l.New = func(c *Client) (Acquire, error) {
		acquire, err := plain(c)
		return func(ctx context.Context) (Hold, error) {
			if c.Number > 0 {
				return Hold{}, ErrTaken
			}
			return acquire(ctx)
		}, err
	}
	return l
}

// hangs is a lock whose second call never returns.
func hangs() Lock {
	l := keyed("%", "")
	plain := l.New
	l.New = func(c *Client) (Acquire, error) {
		acquire, err := plain(c)
		calls := 0
		return func(ctx context.Context) (Hold, error) {
			if calls++; calls == 2 {
				waitForever()
			}
			return acquire(ctx)
		}, err
	}
	return l
}

func waitForever() { select {} }
