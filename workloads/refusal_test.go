package workloads

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"testing"
	"time"

	"github.com/lockbench/lockbench/impls"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/redis/go-redis/v9"
)

// serverError is an error reply of Redis.
type serverError string

func (e serverError) Error() string { return string(e) }
func (serverError) RedisError()     {}

func TestLoss(t *testing.T) {
	timeout := func(op string) error { return &net.OpError{Op: op, Err: os.ErrDeadlineExceeded} }
	for _, c := range []struct {
		err  error
		want history.Loss
	}{
		{timeout("read"), history.TimedOut},
		{fmt.Errorf("node n0: %w", timeout("dial")), history.TimedOut},
		{redis.ErrPoolTimeout, history.TimedOut},
		{&net.OpError{Op: "dial", Err: errors.New("no timeout, refused")}, history.NotSent},
		{io.EOF, history.BrokenOff},
		{context.Canceled, history.Canceled},
		{fmt.Errorf("get: %w", context.DeadlineExceeded), history.Expired},
	} {
		if got := loss(c.err); got != c.want {
			t.Errorf("%v: %q, want %q", c.err, got, c.want)
		}
	}
}

// TestALaterTryThatDidNotLeave: if a client sends commands again, a connection that failed says
// nothing about the tries before.
func TestALaterTryThatDidNotLeave(t *testing.T) {
	dial := &net.OpError{Op: "dial", Err: errors.New("connection refused")}
	for _, retries := range []bool{false, true} {
		cmd := redis.NewCmd(t.Context(), "DEL", "k")
		err := tracer{retries: retries}.doubt(cmd, dial)
		if definite := impls.Definite(err); definite == retries {
			t.Errorf("retries %v: definite %v", retries, definite)
		}
		if notSent := loss(err) == history.NotSent; notSent == retries {
			t.Errorf("retries %v: not sent %v", retries, notSent)
		}
		if retries && cmd.Err() != err {
			t.Errorf("the lock hears %v", cmd.Err())
		}
	}
}

func TestRefusal(t *testing.T) {
	var _ redis.Error = serverError("")
	dial := &net.OpError{Op: "dial", Err: errors.New("connection refused")}
	for _, c := range []struct {
		err  error
		want history.Refusal
	}{
		{impls.ErrHeld, history.Taken},
		{fmt.Errorf("%w (it is late)", impls.ErrHeld), history.GaveUp},
		{errors.Join(dial, impls.ErrHeld), history.GaveUp},
		{dial, history.Unreachable},
		{serverError("READONLY You can't write"), history.ServerRefused},
	} {
		if got := refusal(c.err); got != c.want || !impls.Definite(c.err) {
			t.Errorf("%v: %q; definite: %v", c.err, got, impls.Definite(c.err))
		}
	}
}

// TestAnErrorInsideAScriptLeavesACallUnknown: the script may have written before one of its
// commands got the error. A command of its own that got it did nothing.
func TestAnErrorInsideAScriptLeavesACallUnknown(t *testing.T) {
	const wrong = "WRONGTYPE Operation against a key holding the wrong kind of value"
	for _, c := range []struct {
		command []string
		err     serverError
		want    history.Type
	}{
		{[]string{"EVALSHA", "aa", "1", "k"}, wrong, history.Info},
		{[]string{"EVAL", "text", "1", "k"}, wrong + " script: aa, on @user_script:2.", history.Info},
		{[]string{"EVALSHA", "aa", "1", "k"}, "NOSCRIPT No matching script.", history.Fail},
		{[]string{"HSET", "k", "f", "v"}, wrong, history.Fail},
	} {
		env := NewEnv(t.Context(), 1, func() time.Duration { return 1 })
		w := newWorker(t.Context(), Config{}, env, func(Report) {})
		w.Replied(t.Context(), w.Sent(t.Context(), "n0", c.command),
			history.Command{Reply: "(error) " + string(c.err)}, false)
		if e := w.outcome(history.Acquire, Order{}, c.err); e.Type != c.want {
			t.Errorf("%v, %s: %s, want %s", c.command, c.err, e.Type, c.want)
		}
	}
}
