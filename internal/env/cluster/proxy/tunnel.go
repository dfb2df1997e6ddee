package proxy

import (
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
)

// Tunnel listens and passes each connection on to another end. Its methods may be called from any
// goroutine.
type Tunnel struct {
	listen net.Listener
	secret string // each connection must start with it, unless it is empty
	reach  Reach

	mu    sync.Mutex
	open  map[net.Conn]bool
	wrong error // why the last connection could not be made
}

// Reach connects to the other end of a tunnel for a connection from an address.
type Reach = func(from net.Addr) (net.Conn, error)

// Listen makes a tunnel that starts at an address of this machine. Every user of the machine can
// connect to it. If the other end is not open to all of them, a connection must start with a
// secret, which the tunnel does not pass on. No answer tells whether the secret was right.
func Listen(from, secret string, reach Reach) (*Tunnel, error) {
	ln, err := net.Listen("tcp", from)
	if err != nil {
		return nil, err
	}
	return Forward(ln, secret, reach), nil
}

// Forward makes a tunnel that begins at ln, which Close closes.
func Forward(ln net.Listener, secret string, reach Reach) *Tunnel {
	t := &Tunnel{listen: ln, secret: secret, reach: reach, open: map[net.Conn]bool{}}
	go t.serve()
	return t
}

// Addr is where the tunnel begins.
func (t *Tunnel) Addr() string { return t.listen.Addr().String() }

func (t *Tunnel) serve() {
	for {
		c, err := t.listen.Accept()
		if err != nil {
			return // closed
		}
		go t.pass(c)
	}
}

// pass joins a connection to the other end; if that cannot be reached, it ends at once.
func (t *Tunnel) pass(here net.Conn) {
	t.mu.Lock()
	t.open[here] = true
	t.mu.Unlock()
	defer t.forget(here)
	if !t.admits(here) {
		return
	}
	there, err := t.reach(here.RemoteAddr())
	t.mu.Lock()
	t.wrong = err
	t.mu.Unlock()
	var said Said
	switch {
	case err == nil:
		join(here, there)
	case errors.As(err, &said):
		_, _ = io.WriteString(here, "-"+string(said)+"\r\n")
	}
}

// Said is the error of a Redis that refuses a connection in words of its own. A tunnel passes them
// on, as they would have come without it.
type Said string

func (s Said) Error() string { return "Redis refuses to talk: " + string(s) }

// admits reads the secret. It waits for it as long as it takes: a link may hold back what a client
// has sent.
func (t *Tunnel) admits(c net.Conn) bool {
	given := make([]byte, len(t.secret))
	_, err := io.ReadFull(c, given)
	return err == nil && subtle.ConstantTimeCompare(given, []byte(t.secret)) == 1
}

// join passes on what comes from either of two connections until one ends, and ends the other.
func join(here, there net.Conn) {
	defer there.Close()
	go func() {
		defer there.Close()
		_, _ = io.Copy(there, here)
	}()
	_, _ = io.Copy(here, there)
}

func (t *Tunnel) forget(c net.Conn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.open, c)
	c.Close()
}

// Reason is why the last connection could not be made, or else err.
func (t *Tunnel) Reason(err error) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.wrong != nil {
		return t.wrong
	}
	return err
}

// Close ends the tunnel and every connection in it.
func (t *Tunnel) Close() {
	t.listen.Close()
	t.mu.Lock()
	defer t.mu.Unlock()
	for c := range t.open {
		c.Close()
	}
}

// Fork listens at an address for connections of several servers, and passes each on over a link
// that depends on the server that it comes from: servers that know another by one address have a
// way each to it nevertheless. What Fork returns is the address for the servers; Close of the links
// ends it.
func (p *Links) Fork(at string, choose Reach) (addr string, err error) {
	t, err := Listen(at, "", choose)
	if err != nil {
		return "", err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.forks = append(p.forks, t)
	return t.Addr(), nil
}

// Always chooses the same link.
func Always(link string) Reach {
	return func(net.Addr) (net.Conn, error) { return net.Dial("tcp", link) }
}

// ByHost chooses by the host that a server connects from.
func ByHost(links map[string]string) Reach {
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
