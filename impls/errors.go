package impls

import (
	"context"
	"errors"
	"net"
	"strings"

	"github.com/redis/go-redis/v9"
)

// Definite reports whether err, as Redis or a lock returned it, says for certain that the call had no effect: the lock's own
// refusals, a connection that could not be made, and errors that Redis answers before it does anything.
// Everything else, a time-out or an end of file above all, leaves the outcome unknown.
func Definite(err error) bool {
	if errors.Is(err, ErrHeld) || errors.Is(err, ErrNotOwner) {
		return true
	}
	var op *net.OpError
	if errors.As(err, &op) && op.Op == "dial" {
		return true
	}
	var re redis.Error
	return errors.As(err, &re) && !errors.Is(err, redis.Nil) && refused(re.Error())
}

// refused knows the error replies that Redis gives instead of executing a command.
func refused(reply string) bool {
	for _, p := range []string{"BUSY ", "READONLY ", "LOADING ", "NOSCRIPT ", "WRONGTYPE ", "MASTERDOWN ", "NOREPLICAS ", "OOM ", "NOAUTH ", "NOPERM "} {
		if strings.HasPrefix(reply, p) {
			return true
		}
	}
	return false
}

// retry calls try until it is granted, fails, or the waiting time is over, and sleeps a poll in between.
// try says granted, or why the call must end; (false, nil) means that somebody else has the lock.
func retry(ctx context.Context, s Setup, try func() (bool, error)) error {
	start := s.Env.Elapsed()
	for {
		ok, err := try()
		if ok || err != nil {
			return err
		}
		if t := s.Options.AcquireTimeout; t > 0 && s.Env.Elapsed()-start+s.Options.Poll > t {
			return ErrHeld
		}
		if s.Env.Sleep(ctx, s.Options.Poll) != nil {
			return errors.Join(ErrHeld, ctx.Err())
		}
	}
}
