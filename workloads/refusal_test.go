package workloads

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"testing"

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
