package proxy

import (
	"fmt"
	"net"

	toxi "github.com/Shopify/toxiproxy/v2/client"
	"github.com/lockbench/lockbench/internal/cluster/proc"
)

// ProveToxic says what is wrong if nothing is done to a link.
func (p *Links) ProveToxic(link string) error {
	return p.with(link, func(l *toxi.Proxy) error {
		ts, err := l.Toxics()
		if err == nil && len(ts) == 0 {
			err = fmt.Errorf("link %s is whole", link)
		}
		return err
	})
}

// ProveRefusal says what is wrong if a link takes connections.
func (p *Links) ProveRefusal(link string) error {
	return p.with(link, func(l *toxi.Proxy) (err error) {
		refused := proc.Eventually(func() bool { // on a busy machine the listener ends a little later
			if p.far[link] {
				var yes bool
				yes, err = p.remote.refuses(l.Listen)
				return yes || err != nil
			}
			c, err := net.DialTimeout("tcp", l.Listen, proxyTimeout/4)
			if err == nil {
				c.Close()
			}
			return err != nil
		})
		if err == nil && !refused {
			err = fmt.Errorf("link %s takes connections", link)
		}
		return err
	})
}
