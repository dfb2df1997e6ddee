package main

import (
	"bytes"
	"cmp"
	"context"
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
	watchpage "github.com/lockbench/lockbench/reports/watch"
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
	names   string
	proxy   string
	port    int
	page    string
	metrics watch.Metrics
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
lock was taken, or a deletion could not be judged.`,
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
	s.StringVar(&f.names, "names", "", "file that names locks, keys to ignore, and what scripts do")
	s.IntVar(&f.port, "metrics", -1, "port on 127.0.0.1 for Prometheus; 0 takes any free one")
	s.StringVar(&f.page, "report", "", "write a page with the result to this file")
	s.StringVar(&f.proxy, "proxy", "", "instead of MONITOR, watch the clients that connect to this "+
		"host:port of loopback, and pass them on to --addr")
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
	if err := f.prepare(c); err != nil {
		return err
	}
	s, err := f.judge(c, func(j *watch.Judge) {
		if f.port >= 0 {
			f.metrics.Update(j)
		}
		if screen {
			f.draw(c.OutOrStdout(), j)
		}
	})
	if err != nil {
		return err
	}
	if f.page != "" {
		if err := f.report(s); err != nil {
			return broken(err)
		}
	}
	if err := f.conclude(c.OutOrStdout(), s); err != nil {
		return broken(err)
	}
	return result(s.Exit)
}

// prepare reads the mapping file and serves the metrics.
func (f *watchFlags) prepare(c *cobra.Command) error {
	if f.names != "" {
		text, err := units.ReadFile(f.names)
		if err != nil {
			return err
		}
		if f.options.Names, err = watch.ReadNames(f.names, text); err != nil {
			return err
		}
	}
	if f.port < 0 {
		return nil
	}
	l, err := listen(c.Context(), f.port)
	if err != nil {
		return err
	}
	context.AfterFunc(c.Context(), func() { l.Close() })
	fmt.Fprintf(c.ErrOrStderr(), "http://%s/metrics has the numbers\n", l.Addr())
	go f.metrics.Serve(l)
	return nil
}

func (f *watchFlags) report(s *watch.Summary) error {
	var b bytes.Buffer
	if err := watchpage.WriteHTML(&b, s, cmp.Or(f.addr, f.file), f.options.Pattern); err != nil {
		return err
	}
	return os.WriteFile(f.page, b.Bytes(), 0o644)
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
	dial := func() (net.Conn, error) { return f.redis.Dial(f.addr) }
	if f.proxy != "" { // clients log in themselves
		if host, _, err := net.SplitHostPort(f.proxy); err != nil || !net.ParseIP(host).IsLoopback() {
			return nil, fmt.Errorf("--proxy %q is not host:port of loopback, such as 127.0.0.1:7000",
				f.proxy)
		}
		p := &watch.Proxy{Dial: dial, Listen: f.proxy, For: f.time, Tick: tick, Ready: func(at string) {
			fmt.Fprintf(c.ErrOrStderr(), "clients that connect to %s are watched for %v\n", at, f.time)
		}}
		return p.Run(c.Context(), f.options)
	}
	f.redis.User = os.Getenv("LOCKBENCH_REDIS_USER")
	f.redis.Password = os.Getenv("LOCKBENCH_REDIS_PASSWORD")
	live := watch.Live{Dial: dial, For: f.time, Tick: tick, Ready: func() {
		fmt.Fprintf(c.ErrOrStderr(), "watching %s for %v with MONITOR, which slows a busy Redis; Ctrl-C "+
			"ends it earlier\n", f.addr, f.time)
	}}
	s, err := live.Run(c.Context(), f.options)
	if err != nil {
		err = fmt.Errorf("%s: %w", f.addr, err)
	}
	return s, err
}

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

func (f *watchFlags) conclude(w io.Writer, s *watch.Summary) error {
	if f.asJSON {
		return json.NewEncoder(w).Encode(s)
	}
	return s.Write(w)
}
