package server

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/lockbench/lockbench/internal/base/proc"
	"github.com/lockbench/lockbench/internal/env/cluster/worker"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/workloads"
	"github.com/redis/go-redis/v9"
)

// AdminTimeout bounds each command of the harness itself to a node.
const AdminTimeout = 3 * time.Second

// Admin is the harness's own connection to a node. It bypasses the proxies. Its methods
// may be called from any goroutine.
type Admin struct{ *redis.Client }

// Dial makes the connection when it is first used.
func Dial(addr string) Admin { return dial(addr, "") }

// dial is Dial for a node that asks for a secret.
func dial(addr, secret string) Admin {
	d := worker.Dialer(AdminTimeout, secret)
	return Admin{redis.NewClient(&redis.Options{
		Dialer: func(ctx context.Context, _, addr string) (net.Conn, error) { return d(ctx, addr) },
		Addr:   addr, MaxRetries: -1, DialerRetries: 1, Protocol: 2, DisableIdentity: true, PoolSize: 2,
		DialTimeout: AdminTimeout, ReadTimeout: AdminTimeout, WriteTimeout: AdminTimeout,
		ContextTimeoutEnabled: true,
	})}
}

// Version is what the node says of itself in INFO.
func (c Admin) Version() (string, error) {
	info, err := c.Info(context.Background(), "server").Result()
	if err != nil {
		return "", err
	}
	v := cmp.Or(Field(info, "redis_version"), "unknown")
	// they report the version of Redis that they can replace, and their own
	for _, other := range []string{"valkey", "dragonfly", "kvrocks"} {
		if own := Field(info, other+"_version"); own != "" {
			v += " (" + other + " " + own + ")"
		}
	}
	return v, nil
}

// Lacks returns one line if the node lacks one of the commands, or "" if it has them all. The map
// gives the first version of Redis that has each command.
func (c Admin) Lacks(commands map[string]string) (string, error) {
	for _, name := range slices.Sorted(maps.Keys(commands)) {
		is, err := c.Do(context.Background(), "COMMAND", "INFO", name).Slice()
		if err == nil && len(is) != 1 {
			err = fmt.Errorf("COMMAND INFO %s told of %d commands", name, len(is))
		}
		if err != nil {
			return "", err
		}
		if is[0] != nil {
			continue
		}
		version, err := c.Version()
		return fmt.Sprintf("Redis %s has no %s; it needs %s or newer", version, name, commands[name]), err
	}
	return "", nil
}

// Announce makes a master tell others its public address, should it become a replica.
func (c Admin) Announce(public string) error {
	host, port, err := net.SplitHostPort(public)
	if err != nil {
		return err
	}
	return errors.Join(c.order("CONFIG", "SET", "replica-announce-ip", host),
		c.order("CONFIG", "SET", "replica-announce-port", port))
}

// Role is "master", "slave" or "sentinel".
func (c Admin) Role() (string, error) {
	role, err := c.Do(context.Background(), "ROLE").Slice()
	if err != nil || len(role) == 0 {
		return "", err
	}
	return fmt.Sprint(role[0]), nil
}

// Promote tells a replica to be a master.
func (c Admin) Promote() error { return c.order("REPLICAOF", "NO", "ONE") }

// Follow tells a node to be a replica of the master at an address of their network.
func (c Admin) Follow(master string) error {
	host, port, err := net.SplitHostPort(master)
	if err != nil {
		return err
	}
	return c.order("REPLICAOF", host, port)
}

// Ahead is between which two offsets the node's wall clock is ahead of ours: reading it takes time.
func (c Admin) Ahead() (low, high time.Duration, err error) {
	before := time.Now()
	t, err := c.Time(context.Background()).Result()
	return time.Until(t), t.Sub(before), err
}

// Watch sets for how long a sentinel's master may be silent.
func (c Admin) Watch(patience time.Duration) error {
	return c.order("SENTINEL", "SET", workloads.MasterName, "down-after-milliseconds",
		patience.Milliseconds())
}

// SwitchOver tells a sentinel to promote a replica of its healthy master.
func (c Admin) SwitchOver() error { return c.order("SENTINEL", "FAILOVER", workloads.MasterName) }

// background bounds a question to a server.
func background() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), AdminTimeout)
}

func (c Admin) order(args ...any) error {
	ctx, cancel := background()
	defer cancel()
	return c.Do(ctx, args...).Err()
}

// Barrier writes a key and waits until replicas have it. SET and WAIT share a connection: WAIT
// answers for the writes of its own.
func (c Admin) Barrier(replicas int) error { return c.barrier("lockbench:barrier", replicas) }

func (c Admin) barrier(key string, replicas int) error {
	ctx, cancel := background()
	defer cancel()
	conn := c.Conn()
	defer conn.Close()
	if err := conn.Set(ctx, key, 1, 0).Err(); err != nil {
		return err
	}
	n, err := conn.Wait(ctx, replicas, AdminTimeout-time.Second).Result()
	if err == nil && int(n) < replicas {
		err = fmt.Errorf("%d of %d replicas have what the master was told after %v", n, replicas,
			AdminTimeout-time.Second)
	}
	return err
}

// Monitor copies a node's command stream to a file until the connection ends. It returns when the
// node has confirmed it.
func Monitor(addr, file string) (io.Closer, error) {
	conn, err := net.DialTimeout("tcp", addr, AdminTimeout)
	if err != nil {
		return nil, err
	}
	out, err := os.OpenFile(file, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644) // a node may come back
	if err != nil {
		conn.Close()
		return nil, err
	}
	lines := bufio.NewScanner(conn)
	lines.Buffer(make([]byte, 64<<10), 16<<20)
	if _, err = io.WriteString(conn, "MONITOR\r\n"); err == nil && !lines.Scan() {
		err = fmt.Errorf("MONITOR: %w", io.ErrUnexpectedEOF)
	}
	if err != nil {
		conn.Close()
		out.Close()
		return nil, err
	}
	go func() {
		defer out.Close()
		enc := json.NewEncoder(out)
		enc.SetEscapeHTML(false)
		for lines.Scan() {
			_ = enc.Encode(history.NodeCommand{T: proc.Monotonic(), Line: strings.TrimPrefix(lines.Text(),
				"+")})
		}
	}()
	return conn, nil
}
