package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"strconv"
	"syscall"

	"github.com/lockbench/lockbench/reports/serve"

	"github.com/lockbench/lockbench/internal/base/advice"
	"github.com/spf13/cobra"
)

func serveCommand() *cobra.Command {
	var dir string
	var port int
	c := &cobra.Command{
		Use:   "serve",
		Short: "Show the store as a web page, on this machine only",
		Long: `serve shows all runs, matrices and gates of a store in a browser: the list with verdicts,
to filter and to sort, the reports and plots, and the histories to download, as JSON lines and as
Jepsen's EDN. The list shows new runs as they begin. It listens on 127.0.0.1 only, shows nothing
outside of the store, and changes nothing. Ctrl-C ends it.`,
		Example: `  lockbench serve
  lockbench serve --store /tmp/runs --port 0   # any free port`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			l, err := listen(c.Context(), port)
			if err != nil {
				return err
			}
			defer l.Close()
			s, err := serve.NewServer(dir, l.Addr().String())
			if errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("the store %q does not exist; `%s` makes one, --store names another", dir,
					advice.RunLock)
			} else if err != nil {
				return fmt.Errorf("cannot read the store %q: %w", dir, err)
			}
			defer s.Close()
			fmt.Fprintf(c.OutOrStdout(), "http://%s/ shows %s; Ctrl-C ends it\n", l.Addr(), dir)
			return broken(s.Serve(c.Context(), l))
		},
	}
	c.Flags().StringVar(&dir, "store", "store", "directory that keeps the runs")
	c.Flags().IntVar(&port, "port", 8787, "port on 127.0.0.1; 0 takes any free one")
	return c
}

// listen opens the port. If it cannot, the error gives advice.
func listen(ctx context.Context, port int) (net.Listener, error) {
	if port < 0 || port > 65535 {
		return nil, fmt.Errorf("--port is %d; ports are 1 to 65535, and 0 for any free one", port)
	}
	var c net.ListenConfig
	l, err := c.Listen(ctx, "tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, fmt.Errorf("port %d is taken; name another with --port, or --port 0 for any free one",
			port)
	case errors.Is(err, syscall.EACCES):
		return nil,
			fmt.Errorf("port %d may not be used without privileges; name one above 1023 with --port",
				port)
	}
	return l, err
}
