package server

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/lockbench/lockbench/internal/history"
)

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
