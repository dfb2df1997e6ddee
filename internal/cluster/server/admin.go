package server

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"time"

	"github.com/lockbench/lockbench/history"
	"github.com/lockbench/lockbench/internal/cluster/proc"
	"github.com/redis/go-redis/v9"
)

// AdminTimeout bounds each command of the harness itself to a node.
const AdminTimeout = 3 * time.Second

// Admin is the harness's own connection to a node, around the proxies.
func Admin(addr string) *redis.Client {
	return redis.NewClient(&redis.Options{
		Addr: addr, MaxRetries: -1, DialerRetries: 1, Protocol: 2, DisableIdentity: true, PoolSize: 2,
		DialTimeout: AdminTimeout, ReadTimeout: AdminTimeout, WriteTimeout: AdminTimeout,
		ContextTimeoutEnabled: true,
	})
}

// Version is what the node says of itself in INFO.
func Version(c *redis.Client) (string, error) {
	info, err := c.Info(context.Background(), "server").Result()
	if err != nil {
		return "", err
	}
	v := cmp.Or(field(info, "redis_version"), "unknown")
	// they name the Redis that they can stand in for, and themselves
	for _, other := range []string{"valkey", "dragonfly", "kvrocks"} {
		if own := field(info, other+"_version"); own != "" {
			v += " (" + other + " " + own + ")"
		}
	}
	return v, nil
}

// Announce makes a master tell others its public address, should it become a replica.
func Announce(c *redis.Client, public string) error {
	host, port, err := net.SplitHostPort(public)
	if err != nil {
		return err
	}
	ctx := context.Background()
	return errors.Join(c.ConfigSet(ctx, "replica-announce-ip", host).Err(),
		c.ConfigSet(ctx, "replica-announce-port", port).Err())
}

// Barrier writes a key and waits until replicas have it. SET and WAIT share a connection: WAIT
// answers for the writes of its own.
func Barrier(c *redis.Client, replicas int) error {
	ctx, cancel := context.WithTimeout(context.Background(), AdminTimeout)
	defer cancel()
	conn := c.Conn()
	defer conn.Close()
	if err := conn.Set(ctx, "lockbench:barrier", 1, 0).Err(); err != nil {
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
