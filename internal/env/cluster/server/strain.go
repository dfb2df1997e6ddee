package server

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/lockbench/lockbench/internal/history"
	"github.com/redis/go-redis/v9"
)

// Spin makes the node execute a script that does not end until it is killed. Soon the node answers
// others with -BUSY. What is returned is closed when the script has ended.
func (c Admin) Spin() (<-chan struct{}, error) {
	ctx := context.Background()
	if err := c.ConfigSet(ctx, "lua-time-limit", "50").Err(); err != nil {
		return nil, err
	}
	end := make(chan struct{})
	go func() { // it is answered when the script is killed
		defer close(end)
		c.Eval(ctx, "while true do end", nil)
	}()
	return end, nil
}

// EndSpin kills the script.
func (c Admin) EndSpin() error { return c.ScriptKill(context.Background()).Err() }

// Sleep makes the node execute a command that takes d. What is returned says when it has ended, and
// whether it was over too soon.
func (c Admin) Sleep(d time.Duration) <-chan error {
	patient, end := c.WithTimeout(d+AdminTimeout), make(chan error, 1)
	go func() {
		begin := time.Now()
		err := patient.Do(context.Background(), "DEBUG", "SLEEP", d.Seconds()).Err()
		if took := time.Since(begin); err == nil && took < d {
			err = fmt.Errorf("DEBUG SLEEP took %v instead of %v", took, d)
		}
		end <- err
	}()
	return end
}

// Answers reports whether the node answers within d.
func (c Admin) Answers(d time.Duration) bool {
	ctx, cancel := context.WithTimeout(context.Background(), d)
	defer cancel()
	return c.Ping(ctx).Err() == nil
}

// Debugging are the settings that Sleep needs from version 7 on, and that Redis does not know
// before. `redis-server --version` prints "Redis server v=7.0.15 sha=…".
func Debugging(version string) []string {
	_, v, _ := strings.Cut(version, " v=")
	major, _, _ := strings.Cut(v, ".")
	if n, err := strconv.Atoi(major); err == nil && n >= 7 {
		return []string{"enable-debug-command", "yes"}
	}
	return nil
}

// Flush deletes all keys of the node.
func (c Admin) Flush() error { return c.order("FLUSHALL") }

// ForgetScripts makes the node forget the scripts that it was sent.
func (c Admin) ForgetScripts() error { return c.order("SCRIPT", "FLUSH") }

// BoundMemory sets the memory that the node may use, and how it evicts keys then.
func (c Admin) BoundMemory(size, eviction string) error {
	return c.order("CONFIG", "SET", "maxmemory", size, "maxmemory-policy", eviction)
}

// Full reports whether the node refuses a write for lack of memory.
func (c Admin) Full() bool {
	ctx, cancel := background()
	defer cancel()
	err := c.SetArgs(ctx, "lockbench:full", 1, redis.SetArgs{Mode: "XX"}).Err()
	return redis.IsOOMError(err)
}

// Counters returns the node's counts of removed keys since it started. It returns an error if the
// node is not a master, since others do not count their own.
func (c Admin) Counters() (n history.Counters, err error) {
	ctx, cancel := background()
	defer cancel()
	role, err := c.Role()
	if err == nil && role != "master" {
		err = fmt.Errorf("it is a %s", role)
	}
	if err != nil {
		return n, err
	}
	stats, err := c.Info(ctx, "stats").Result()
	if err != nil {
		return n, err
	}
	n.Evicted, n.Expired = number(Field(stats, "evicted_keys")), number(Field(stats, "expired_keys"))
	if n.Deleted, err = c.Called("del", "unlink"); err == nil {
		n.Emptied, err = c.Called("flushall", "flushdb", "swapdb")
	}
	return n, err
}

// Called returns how often the node has executed commands since it started.
func (c Admin) Called(commands ...string) (int64, error) {
	ctx, cancel := background()
	defer cancel()
	info, err := c.Info(ctx, "commandstats").Result()
	return calls(info, commands...), err
}

// calls returns how often commands were called, from lines such as "cmdstat_del:calls=12,usec=...".
func calls(info string, commands ...string) (sum int64) {
	for _, name := range commands {
		first, _, _ := strings.Cut(Field(info, "cmdstat_"+name), ",")
		sum += number(strings.TrimPrefix(first, "calls="))
	}
	return sum
}

// number returns the number in a text. It is 0 if the text is empty, since the server has not
// counted anything yet.
func number(text string) int64 {
	n, _ := strconv.ParseInt(text, 10, 64)
	return n
}
