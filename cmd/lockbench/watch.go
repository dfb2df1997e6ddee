package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"time"

	"github.com/lockbench/lockbench/internal/base/progress"
	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/internal/env/cluster/server"
	"github.com/lockbench/lockbench/internal/run/watch"
	"github.com/spf13/cobra"
)

// watchFlags are the flags of watch.
type watchFlags struct {
	options watch.Options
	redis   server.ExternalConfig
	addr    string
	file    string
	time    time.Duration
	asJSON  bool
	events  []watch.Event // the latest, for the terminal
}

func watchCommand() *cobra.Command {
	var f watchFlags
	c := &cobra.Command{
		Use:   "watch --addr HOST:PORT --keys PATTERN",
		Short: "Judge the locks of a running Redis, and change nothing in it",
		Long: `watch reads the commands that a Redis executes (MONITOR), and judges the locks that it sees:
releases and renewals after the lease, deletions of another client's key, locks without a lease, and
keys that the server removed. It writes nothing to the server. MONITOR costs a busy Redis a part of
its speed (docs/watch.md), so that --for ends it. Exit code 0: no defect was seen; 1: one was; 2: no
lock was taken.`,
		Example: `  lockbench watch --addr 127.0.0.1:6379 --keys 'lock:*' --for 60s
  redis-cli monitor > commands.txt; lockbench watch --keys 'lock:*' --read commands.txt`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return f.watch(c) },
	}
	s := c.Flags()
	s.StringVar(&f.addr, "addr", "", "host:port of the Redis")
	s.BoolVar(&f.redis.TLS, "tls", false,
		"speak TLS; LOCKBENCH_REDIS_USER and LOCKBENCH_REDIS_PASSWORD hold the login")
	s.StringVar(&f.options.Pattern, "keys", "", "pattern of the locks' keys, as KEYS has it")
	s.DurationVar(&f.time, "for", time.Minute, "time to watch")
	s.StringVar(&f.file, "read", "", "judge the output of redis-cli monitor in this file; - is "+
		"standard input")
	s.BoolVar(&f.options.Clients, "own-connections", false,
		"each client has a connection of its own, so that an address names a client")
	s.BoolVar(&f.options.Routine, "all", false,
		"print each acquisition, refusal, renewal and release, too")
	s.BoolVar(&f.asJSON, "json", false,
		"print each event, and at the end the result, as a line of JSON")
	return c
}

func (f *watchFlags) watch(c *cobra.Command) error {
	switch {
	case f.options.Pattern == "":
		return errors.New("watch needs --keys, the pattern of the locks' keys, such as 'lock:*'")
	case (f.addr == "") == (f.file == ""):
		return errors.New("watch needs either --addr host:port of a Redis, or --read with a file")
	}
	if err := aboveZero(c.Flags(), "for"); err != nil {
		return err
	}
	screen := progress.Terminal(c.OutOrStdout()) && !f.asJSON
	f.options.Emit = f.printer(c.OutOrStdout(), screen)
	tick := func(*watch.Judge) {}
	if screen {
		tick = func(j *watch.Judge) { f.draw(c.OutOrStdout(), j) }
	}
	s, err := f.judge(c, tick)
	if err != nil {
		return err
	}
	if err := f.conclude(c.OutOrStdout(), s); err != nil {
		return broken(err)
	}
	return result(s.Exit)
}

// judge watches a server, or reads a file.
func (f *watchFlags) judge(c *cobra.Command, tick func(*watch.Judge)) (*watch.Summary, error) {
	if f.file != "" {
		in := io.NopCloser(c.InOrStdin())
		if f.file != "-" {
			file, err := units.Open(f.file, units.MaxRecord)
			if err != nil {
				return nil, err
			}
			in = file
		}
		defer in.Close()
		return watch.Read(in, f.options, tick)
	}
	if _, port, err := net.SplitHostPort(f.addr); err != nil || port == "" {
		return nil, fmt.Errorf("--addr %q is not host:port", f.addr)
	}
	f.redis.User = os.Getenv("LOCKBENCH_REDIS_USER")
	f.redis.Password = os.Getenv("LOCKBENCH_REDIS_PASSWORD")
	fmt.Fprintf(c.ErrOrStderr(), "watching %s for %v with MONITOR, which slows a busy Redis; Ctrl-C "+
		"ends it earlier\n", f.addr, f.time)
	live := watch.Live{Dial: func() (net.Conn, error) { return f.redis.Dial(f.addr) }, For: f.time,
		Tick: tick}
	s, err := live.Run(c.Context(), f.options)
	if err != nil {
		err = fmt.Errorf("%s: %w", f.addr, err)
	}
	return s, err
}

// printer returns the function that prints an event.
func (f *watchFlags) printer(w io.Writer, screen bool) func(watch.Event) {
	const rows = 10
	switch {
	case screen:
		return func(e watch.Event) { f.events = append(f.events[max(0, len(f.events)-rows+1):], e) }
	case f.asJSON:
		out := json.NewEncoder(w)
		out.SetEscapeHTML(false)
		return func(e watch.Event) { _ = out.Encode(e) }
	}
	return func(e watch.Event) { fmt.Fprintln(w, e) }
}

// draw draws the table and the latest events on a terminal.
func (f *watchFlags) draw(w io.Writer, j *watch.Judge) {
	fmt.Fprintf(w, "\033[H\033[J%s for %s\n\n", cmp.Or(f.addr, f.file), f.options.Pattern)
	_ = watch.WriteTable(w, j.Table(), j.Last-j.First, 10)
	fmt.Fprintln(w)
	for _, e := range f.events {
		fmt.Fprintln(w, e)
	}
}

// conclude prints the result.
func (f *watchFlags) conclude(w io.Writer, s *watch.Summary) error {
	if f.asJSON {
		return json.NewEncoder(w).Encode(s)
	}
	return s.Write(w)
}
