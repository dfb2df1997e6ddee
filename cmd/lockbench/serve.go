package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"strconv"
	"syscall"
	"time"

	"github.com/lockbench/lockbench/reports"
	"github.com/spf13/cobra"
)

// servePort is what a browser is told if nobody names another.
const servePort = 8787

// serveFlags are the flags of serve.
type serveFlags struct {
	store string
	port  int
}

func serveCommand() *cobra.Command {
	var f serveFlags
	c := &cobra.Command{
		Use:   "serve",
		Short: "Show the store as a web page, on this machine only",
		Long: `serve shows all runs, matrices and gates of a store in a browser: the list with verdicts, to filter and to sort, the reports and plots, and
the histories to download, as JSON lines and as Jepsen's EDN. The list follows what is being run. It listens on 127.0.0.1 only, shows nothing that
lies outside of the store, and changes nothing. Ctrl-C ends it.`,
		Example: `  lockbench serve
  lockbench serve --store /tmp/runs --port 0   # any free port`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return f.serve(c) },
	}
	c.Flags().StringVar(&f.store, "store", "store", "directory that keeps the runs")
	c.Flags().IntVar(&f.port, "port", servePort, "port on 127.0.0.1; 0 takes any free one")
	return c
}

// grace is how long a download may go on after Ctrl-C.
const grace = 2 * time.Second

func (f *serveFlags) serve(c *cobra.Command) error {
	l, err := f.listen(c.Context())
	if err != nil {
		return usage(err)
	}
	defer l.Close()
	s, err := reports.NewServer(f.store, l.Addr().String())
	if errors.Is(err, fs.ErrNotExist) {
		return usage(fmt.Errorf("there is no store %q; `lockbench run` makes one, --store names another",
			f.store))
	} else if err != nil {
		return usage(fmt.Errorf("cannot read the store %q: %w", f.store, err))
	}
	defer s.Close()
	web := &http.Server{Handler: s, ReadHeaderTimeout: 5 * time.Second, IdleTimeout: time.Minute,
		MaxHeaderBytes: 16 << 10}
	ended := make(chan error, 1)
	go func() { ended <- web.Serve(l) }()
	fmt.Fprintf(c.OutOrStdout(), "http://%s/ shows %s; Ctrl-C ends it\n", l.Addr(), f.store)
	select {
	case err := <-ended:
		return broken(err)
	case <-c.Context().Done():
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(c.Context()), grace)
	defer cancel()
	if err := web.Shutdown(ctx); err != nil {
		return broken(errors.Join(err, web.Close()))
	}
	return nil
}

// listen takes the port, and says what to do if it cannot be had.
func (f *serveFlags) listen(ctx context.Context) (net.Listener, error) {
	if f.port < 0 || f.port > 65535 {
		return nil, fmt.Errorf("--port is %d; ports are 1 to 65535, and 0 for any free one", f.port)
	}
	var c net.ListenConfig
	l, err := c.Listen(ctx, "tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(f.port)))
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, fmt.Errorf("port %d is taken; name another with --port, or --port 0 for any free one",
			f.port)
	case errors.Is(err, syscall.EACCES):
		return nil, fmt.Errorf("port %d is not for everybody; name one above 1023 with --port", f.port)
	}
	return l, err
}
