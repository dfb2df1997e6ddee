package workloads

import (
	"context"
	"errors"
	"maps"
	"net"
	"slices"
	"time"

	"github.com/lockbench/lockbench/internal/history"
	"github.com/redis/go-redis/v9"
)

// redirects is how often a client of a cluster goes where a node sends it before it gives up: the
// default of go-redis.
const redirects = 3

// reloadEvery is how old what a client knows of the nodes' slots may be. A client of go-redis
// learns of a failover from MOVED, or when this time is over: with its default, a minute, no client
// of a run would hear of it while the old master is gone.
const reloadEvery = 250 * time.Millisecond

// newCluster makes a client of a Redis Cluster. It finds the node of a key by itself, over the
// client's own ways to the nodes, and goes where MOVED and ASK send it. A command whose reply was
// lost it does not send again, unless that is asked for: go-redis would.
func newCluster(r *route, c Config, node *redis.Options, hook tracer) redis.UniversalClient {
	r.announced = c.Announced
	return redis.NewClusterClient(&redis.ClusterOptions{
		Addrs: slices.Sorted(maps.Keys(c.Announced)), MaxRedirects: redirects,
		DisableRoutingPolicies: true, MinRetryBackoff: -1, MaxRetryBackoff: -1,
		ContextTimeoutEnabled: true, ClusterStateReloadInterval: reloadEvery,
		NewClient: func(at *redis.Options) *redis.Client {
			o, name := *node, c.Announced[at.Addr]
			o.Addr = at.Addr
			o.Dialer = func(ctx context.Context, _, _ string) (net.Conn, error) {
				return r.connectNode(ctx, name)
			}
			cl := redis.NewClient(&o)
			if c.ClientRetries == 0 {
				cl.AddHook(once{})
			}
			hook.node = name
			cl.AddHook(hook)
			return cl
		},
	})
}

// connectNode makes a connection by the client's own way to a node of a cluster.
func (r *route) connectNode(ctx context.Context, node string) (net.Conn, error) {
	r.begin()
	r.mu.Lock()
	address := r.way[node]
	r.mu.Unlock()
	c, err := r.dial(ctx, address)
	if err == nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.made++
	}
	return c, err
}

// answered notes that a node of a cluster is the one that the client uses.
func (r *route) answered(node string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.node = node
}

// once is the go-redis hook that hides from the client of a cluster why a reply was lost: it would
// send the command again.
type once struct{}

func (once) DialHook(next redis.DialHook) redis.DialHook { return next }

func (once) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		err := next(ctx, cmd)
		if hidden := conceal(err); hidden != err {
			cmd.SetErr(hidden)
			return hidden
		}
		return err
	}
}

func (once) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

// lostError is an error whose cause cannot be seen but by loss.
type lostError struct {
	text string
	why  history.Loss
}

func (e lostError) Error() string { return e.text }

// conceal hides an error after which nothing is known of the command. What a node answered, and
// that it cannot be connected to, is not hidden.
func conceal(err error) error {
	var said redis.Error
	if err == nil || errorsAs(err, &said) || err == redis.Nil || dialling(err) {
		return err
	}
	return lostError{err.Error(), loss(err)}
}

// dialling reports whether a connection could not be made.
func dialling(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "dial"
}
