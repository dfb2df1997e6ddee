package serve

import (
	"context"
	"errors"
	"net"
	"net/http"
	"time"
)

// grace is how long a download may go on after the end of Serve's context.
const grace = 2 * time.Second

// Serve answers requests on l until ctx ends, and closes l.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	web := &http.Server{Handler: s, ReadHeaderTimeout: 5 * time.Second, IdleTimeout: time.Minute,
		MaxHeaderBytes: 16 << 10}
	ended := make(chan error, 1)
	go func() { ended <- web.Serve(l) }()
	go s.Listing() // each verdict is read once: most are before the list is asked for
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	late, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer cancel()
	if err := web.Shutdown(late); err != nil {
		return errors.Join(err, web.Close())
	}
	return nil
}
