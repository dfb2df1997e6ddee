package impls

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"
)

// reply is an error that Redis answered.
type reply string

func (r reply) Error() string { return string(r) }
func (reply) RedisError()     {}

func TestDefinite(t *testing.T) {
	dial := &net.OpError{Op: "dial", Err: errors.New("connection refused")}
	for _, c := range []struct {
		err  error
		want bool
	}{
		{ErrHeld, true},
		{ErrNotOwner, true},
		{fmt.Errorf("x: %w", ErrHeld), true},
		{held(context.Canceled), true},
		{join(ErrNotOwner, dial), true},
		{join(ErrNotOwner, io.EOF), false},
		{join(nil, nil, dial), true},
		{dial, true},
		{reply("READONLY You can't write against a read only replica."), true},
		{reply("BUSY Redis is busy running a script."), true},
		{reply("NOREPLICAS Not enough good replicas to write."), true},
		{reply("WRONGTYPE Operation against a key"), true},
		// a script may have done half of its work
		{reply("ERR unknown"), false},
		{reply("WRONGTYPE Operation script: 3ae, on @user_script:2."), false},
		{redis.Nil, false}, // a reply like any other; the lock must say what it means
		{&net.OpError{Op: "read", Err: io.EOF}, false},
		{io.EOF, false},
		{context.DeadlineExceeded, false},
		{changed(ErrHeld, true), false},
		{changed(ErrHeld, false), true},
		{errLeft, false},
		{attemptError(reply("BUSY x")), false}, // the second command was refused, the first was not
		{join(dial, io.EOF), false},
	} {
		if got := Definite(c.err); got != c.want {
			t.Errorf("Definite(%v) = %v", c.err, got)
		}
	}
	if changed(nil, true) != nil || join(nil, nil) != nil {
		t.Error("no error became one")
	}
	if text := join(ErrHeld, nil, io.EOF).Error(); strings.Contains(text, "\n") {
		t.Errorf("%q is not one line", text)
	}
}
