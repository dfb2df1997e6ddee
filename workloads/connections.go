package workloads

import (
	"context"
	"errors"
	"fmt"

	"github.com/lockbench/lockbench/impls"
	"github.com/lockbench/lockbench/internal/base/resp"
	"github.com/redis/go-redis/v9"
)

// connections are a client's ways to Redis: one for each independent master.
type connections struct {
	env    *Env
	life   context.Context
	routes []*route
	redis  []redis.UniversalClient // none if a Remote has the lock
}

// connect opens a connection to each Redis.
func (s *connections) connect() error {
	for i, c := range s.redis {
		err := ping(s.life, c)
		// a machine that is busy with starting many clients is slow, and a client's time-outs may be
		// short
		if err != nil {
			err = s.insist(c, err)
		}
		if err != nil {
			return fmt.Errorf("cannot reach %s: %w", s.routes[i].current(),
				s.routes[i].reason(s.life, err))
		}
	}
	return nil
}

// insist tries again for pingTimeout to reach a Redis.
func (s *connections) insist(c redis.UniversalClient, err error) error {
	ctx, cancel := context.WithTimeout(s.life, pingTimeout)
	defer cancel()
	for err != nil && s.env.Sleep(ctx, pingPause) == nil {
		err = ping(ctx, c)
	}
	return err
}

// ping sends a command that the trace leaves out.
func ping(ctx context.Context, c redis.UniversalClient) error {
	return c.Do(ctx, "client", "id").Err()
}

// reason returns why a Redis cannot be reached: the error that it sends unasked, or else err.
func (r *route) reason(ctx context.Context, err error) error {
	_, address := r.target()
	c, dialErr := r.dial(ctx, address)
	if dialErr != nil {
		return err
	}
	if words := resp.Unasked(c, pingTimeout/50); words != "" {
		return errors.New(words)
	}
	return err
}

// Disconnect closes the connections: everything that waits for a reply, or for a connection, fails.
// It may be called more than once.
func (s *connections) Disconnect() {
	for _, c := range s.redis {
		c.Close()
	}
}

// granted adds the node to a grant of a lock of this process.
func (s *connections) granted(g impls.Grant) Granted {
	r := Granted{Grant: g}
	if len(s.routes) == 1 { // several nodes granted it together otherwise
		r.Node = s.routes[0].current()
	}
	return r
}
