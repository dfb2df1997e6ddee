package impls_test

import (
	"context"
	"errors"
	"net"
	"os"
	"strings"
	"sync"

	"github.com/redis/go-redis/v9"
)

// tap counts a client's commands and lets a test act before and after each.
type tap struct {
	mu     sync.Mutex
	sent   []string
	before func(n int, name string)            // before the n-th command, from 1, is sent
	after  func(n int, name string, err error) // after its reply was read
	lose   int                                 // the number of the command whose reply is lost
	// the number of the command after which the client is dead
	die int
}

func (t *tap) commands() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.sent)
}

// tapped is the go-redis hook of one server's client.
type tapped struct {
	*tap
	server int
}

func (t *tapped) DialHook(next redis.DialHook) redis.DialHook { return next }

func (t *tapped) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		name := strings.ToUpper(cmd.Name())
		if name == "HELLO" || name == "CLIENT" {
			return next(ctx, cmd)
		}
		t.mu.Lock()
		t.sent = append(t.sent, name)
		n, before, after, lose, die := len(t.sent), t.before, t.after, t.lose, t.die
		t.mu.Unlock()
		if before != nil {
			before(n, name)
		}
		var err error
		if die == 0 || n <= die {
			err = next(ctx, cmd)
		}
		if n == lose || die > 0 && n >= die {
			err = &net.OpError{Op: "read", Net: "tcp", Err: os.ErrDeadlineExceeded}
			cmd.SetErr(err)
		}
		if after != nil {
			after(n, name, err)
		}
		return err
	}
}

func (t *tapped) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

// refusedNil reports whether a reply was nil.
func refusedNil(err error) bool { return errors.Is(err, redis.Nil) }
