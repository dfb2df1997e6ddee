package proxy

import (
	"errors"
	"fmt"
	"net"

	"github.com/lockbench/lockbench/internal/base/proc"
)

// ProveToxic returns an error if no toxic acts on a link.
func (p *Links) ProveToxic(name string) error {
	return p.with(name, func(l *link) error {
		ts, err := l.Toxics()
		if err == nil && len(ts) == 0 {
			err = fmt.Errorf("link %s is whole", name)
		}
		return err
	})
}

// ProveRefusal returns an error if a link accepts connections. It tries a remote link from the
// proxies' side, since every published port accepts connections from here.
func (p *Links) ProveRefusal(name string) error {
	return p.with(name, func(l *link) (err error) {
		dial := func() (net.Conn, error) { return net.DialTimeout("tcp", l.Listen, proxyTimeout/4) }
		if l.far {
			dial = func() (net.Conn, error) { return p.remote.connect(l.Listen) }
		}
		closed := proc.Eventually(func() bool { // on a busy machine the listener ends a little later
			var c net.Conn
			if c, err = dial(); err == nil {
				c.Close()
			}
			return err != nil
		})
		var no refused
		switch {
		case !closed:
			return fmt.Errorf("link %s takes connections", name)
		case l.far && !errors.As(err, &no):
			return err // the remote proxies have not tried
		}
		return nil
	})
}
