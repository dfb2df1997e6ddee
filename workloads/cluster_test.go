package workloads

import (
	"errors"
	"io"
	"net"
	"testing"

	"github.com/lockbench/lockbench/internal/history"
	"github.com/redis/go-redis/v9"
)

// TestConceal: the client of a cluster must not see why a reply was lost, or it sends the command
// again; what a node said, and that it was never reached, it must see.
func TestConceal(t *testing.T) {
	late := &net.OpError{Op: "read", Net: "tcp", Err: timeout{}}
	for _, err := range []error{io.EOF, late} {
		hidden := conceal(err)
		if errors.Is(hidden, io.EOF) || errors.As(hidden, new(*net.OpError)) {
			t.Errorf("%v can be seen", err)
		}
		if hidden.Error() != err.Error() || loss(hidden) != loss(err) {
			t.Errorf("%v is told as %v, %s", err, hidden, loss(hidden))
		}
	}
	if loss(conceal(late)) != history.TimedOut {
		t.Error("a time-out is none any more")
	}
	dial := &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("refused")}
	for _, err := range []error{nil, redis.Nil, dial} {
		if conceal(err) != err {
			t.Errorf("%v is hidden", err)
		}
	}
}

type timeout struct{}

func (timeout) Error() string { return "i/o timeout" }
func (timeout) Timeout() bool { return true }
