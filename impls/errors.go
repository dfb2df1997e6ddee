package impls

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/internal/history"
	"github.com/redis/go-redis/v9"
)

// ErrChanged joins the error of a call that was refused, or broke off, after it had changed
// something in Redis. The outcome of such a call is not definite: the leftover may keep other
// clients out, or may be the lock itself.
var ErrChanged = errors.New("something was changed in Redis")

// Definite reports whether err, as Redis or a lock returned it, says for certain that the call had
// no effect: the lock's own refusals, a connection that could not be made, and errors that Redis
// answers before it does anything. Everything else, a time-out or an end of file above all, leaves
// the outcome unknown; of several errors each must be definite.
func Definite(err error) bool {
	if errors.Is(err, ErrChanged) {
		return false
	}
	var several interface{ Unwrap() []error }
	if errors.As(err, &several) {
		return !slices.ContainsFunc(several.Unwrap(), func(e error) bool { return !Definite(e) })
	}
	if errors.Is(err, ErrHeld) || errors.Is(err, ErrNotOwner) {
		return true
	}
	var op *net.OpError
	if errors.As(err, &op) && op.Op == "dial" {
		return true
	}
	var re redis.Error
	return errors.As(err, &re) && !errors.Is(err, redis.Nil) &&
		history.NotExecuted(re.Error())
}

// changed marks err if something was changed. A nil err stays nil.
func changed(err error, did bool) error {
	if err == nil || !did {
		return err
	}
	return join(err, ErrChanged)
}

// held is ErrHeld with the reason why the wait ended before its time, if there is one.
func held(reason error) error {
	if reason == nil {
		return ErrHeld
	}
	return heldEarly{reason}
}

// heldEarly is ErrHeld, and context.Canceled if that is the reason. What else the reason is says
// nothing of the lock.
type heldEarly struct{ reason error }

func (e heldEarly) Error() string { return fmt.Sprintf("%v (%v)", ErrHeld, e.reason) }

func (e heldEarly) Is(target error) bool {
	return target == ErrHeld || target == context.Canceled && errors.Is(e.reason, target)
}

// joined is errors.Join on one line: its text goes into a history.
type joined []error

func join(errs ...error) error {
	var some joined
	for _, e := range errs {
		if e != nil {
			some = append(some, e)
		}
	}
	if some == nil {
		return nil
	}
	return some
}

func (j joined) Error() string {
	texts := make([]string, len(j))
	for i, e := range j {
		texts[i] = e.Error()
	}
	return strings.Join(texts, "; ")
}

// Unwrap lets errors.Is and errors.As look at each.
func (j joined) Unwrap() []error { return j }
