package proxy

import (
	"fmt"
	"net"
)

// Fork listens for connections of several servers, and passes each on over the link of the server
// that it comes from: servers that know another by one address have a way each to it nevertheless.
// Links are addresses by the address that a server connects from. What Fork returns is the address
// for the servers; Close of the links ends it.
func (p *Links) Fork(host string, links map[string]string) (addr string, err error) {
	ln, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
	if err != nil {
		return "", err
	}
	f := &fork{links}
	t := Forward(ln, "", f.reach)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.forks = append(p.forks, t)
	return t.Addr(), nil
}

// fork chooses a link.
type fork struct{ links map[string]string }

func (f *fork) reach(from net.Addr) (net.Conn, error) {
	host, _, err := net.SplitHostPort(from.String())
	if err != nil {
		return nil, err
	}
	to, known := f.links[host]
	if !known {
		return nil, fmt.Errorf("%s is no server of this run", host)
	}
	return net.Dial("tcp", to)
}
