package proxy

import (
	"fmt"
	"net"
)

// Choice connects to the link that a connection takes which comes from an address; an error: none.
type Choice = reach

// Fork listens at an address for connections of several servers, and passes each on over a link
// that depends on the server that it comes from: servers that know another by one address have a
// way each to it nevertheless. What Fork returns is the address for the servers; Close of the links
// ends it.
func (p *Links) Fork(at string, choose Choice) (addr string, err error) {
	ln, err := net.Listen("tcp", at)
	if err != nil {
		return "", err
	}
	t := Forward(ln, "", choose)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.forks = append(p.forks, t)
	return t.Addr(), nil
}

// Always chooses the same link.
func Always(link string) Choice {
	return func(net.Addr) (net.Conn, error) { return net.Dial("tcp", link) }
}

// ByHost chooses by the host that a server connects from.
func ByHost(links map[string]string) Choice {
	return func(from net.Addr) (net.Conn, error) {
		host, _, err := net.SplitHostPort(from.String())
		if err != nil {
			return nil, err
		}
		to, known := links[host]
		if !known {
			return nil, fmt.Errorf("this run has no server %s", host)
		}
		return net.Dial("tcp", to)
	}
}
