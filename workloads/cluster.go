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

// redirects bounds the redirections that a client of a cluster follows for a command. It is the
// default of go-redis.
const redirects = 3

// reloadEvery bounds the age of a client's knowledge of the nodes' slots. go-redis learns of a
// failover from MOVED, or after this time. Its default is a minute: no client of a run would learn
// of the failover while the old master is gone.
const reloadEvery = 250 * time.Millisecond

// newCluster makes a client of a Redis Cluster. The client finds the node of a key by itself, over
// its own ways to the nodes, and follows MOVED and ASK. It repeats a command without a reply only
// if the config asks for that, although go-redis would.
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
			if c.retries() == 0 {
				cl.AddHook(once{})
			}
			hook.node = name
			cl.AddHook(hook)
			return cl
		},
	})
}

// connectNode connects to a node of a cluster by the client's own way.
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

// answered records the cluster node that the client uses.
func (r *route) answered(node string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.node = node
}

// once is a go-redis hook. It hides the cause of a lost reply from the client of a cluster, which
// would send the command again.
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

// lostError is an error whose cause only loss can see.
type lostError struct {
	text string
	why  history.Loss
}

func (e lostError) Error() string { return e.text }

// conceal hides an error that leaves the effect of the command unknown. It does not hide the answer
// of a node, or that a connection failed.
func conceal(err error) error {
	var said redis.Error
	if err == nil || errors.As(err, &said) || err == redis.Nil || dialling(err) {
		return err
	}
	return lostError{err.Error(), loss(err)}
}

// dialling reports whether the error is a failed connection attempt.
func dialling(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "dial"
}
