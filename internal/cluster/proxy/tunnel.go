package proxy

import (
	"io"
	"net"
	"sync"
)

// Tunnel listens and passes each connection on to another end. Its methods may be called from any
// goroutine.
type Tunnel struct {
	listen net.Listener
	reach  func() (net.Conn, error) // connects to the other end

	mu    sync.Mutex
	open  map[net.Conn]bool
	wrong error // why the last connection could not be made
}

// Listen makes a tunnel that begins at an address of this machine.
func Listen(from string, reach func() (net.Conn, error)) (*Tunnel, error) {
	ln, err := net.Listen("tcp", from)
	if err != nil {
		return nil, err
	}
	return Forward(ln, reach), nil
}

// Forward makes a tunnel that begins at ln, which Close closes.
func Forward(ln net.Listener, reach func() (net.Conn, error)) *Tunnel {
	t := &Tunnel{listen: ln, reach: reach, open: map[net.Conn]bool{}}
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
	defer t.forget(here)
	there, err := t.reach()
	t.mu.Lock()
	t.wrong = err
	t.open[here] = true
	t.mu.Unlock()
	if err == nil {
		join(here, there)
	}
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
