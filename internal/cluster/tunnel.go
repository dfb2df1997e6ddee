package cluster

import (
	"bufio"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"
)

// tunnel listens on loopback and passes each connection on to a Redis, after TLS and AUTH. So neither the proxies nor the workers know of
// them: workers of any language need not, and the password stays in this process.
type tunnel struct {
	to     string
	who    External
	listen net.Listener
	tls    *tls.Config

	mu    sync.Mutex
	open  map[net.Conn]bool
	wrong error // why the last connection could not be made
}

// dig makes a tunnel. Trust may be nil: what this machine trusts.
func dig(to string, who External, trust *tls.Config) (*tunnel, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	t := &tunnel{to: to, who: who, tls: trust, listen: ln, open: map[net.Conn]bool{}}
	go t.serve()
	return t, nil
}

func (t *tunnel) addr() string { return t.listen.Addr().String() }

func (t *tunnel) serve() {
	for {
		c, err := t.listen.Accept()
		if err != nil {
			return // closed
		}
		go t.pass(c)
	}
}

// pass joins two connections. An end that closes is noticed at the other.
func (t *tunnel) pass(here net.Conn) {
	defer t.forget(here)
	there, err := t.dial()
	t.mu.Lock()
	t.wrong = err
	t.open[here] = true
	t.mu.Unlock()
	if err != nil {
		return
	}
	defer there.Close()
	go func() {
		defer there.Close()
		_, _ = io.Copy(there, here)
	}()
	_, _ = io.Copy(here, there)
}

func (t *tunnel) forget(c net.Conn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.open, c)
	c.Close()
}

// dial connects to Redis and says who we are.
func (t *tunnel) dial() (net.Conn, error) {
	d := &net.Dialer{Timeout: adminTimeout / 2} // so that its reason is known before a command has waited for too long
	var c net.Conn
	var err error
	if t.who.TLS {
		c, err = tls.DialWithDialer(d, "tcp", t.to, t.tls)
	} else {
		c, err = d.Dial("tcp", t.to)
	}
	if err != nil {
		return nil, fmt.Errorf("no Redis answers: %w", err)
	}
	if t.who.Password == "" {
		return c, nil
	}
	if err := t.auth(c); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// auth sends AUTH. Redis says nothing before it is asked, so that nothing but the answer is read.
func (t *tunnel) auth(c net.Conn) error {
	words := []string{"AUTH", t.who.Password}
	if t.who.User != "" {
		words = []string{"AUTH", t.who.User, t.who.Password}
	}
	request := "*" + strconv.Itoa(len(words)) + "\r\n"
	for _, w := range words {
		request += "$" + strconv.Itoa(len(w)) + "\r\n" + w + "\r\n"
	}
	if _, err := io.WriteString(c, request); err != nil {
		return err
	}
	answer, err := bufio.NewReader(c).ReadString('\n')
	if err != nil {
		return fmt.Errorf("no Redis answers: %w", err)
	}
	if !strings.HasPrefix(answer, "+OK") {
		return errors.New("LOCKBENCH_REDIS_USER and LOCKBENCH_REDIS_PASSWORD are refused: " + strings.TrimSpace(strings.TrimPrefix(answer, "-")))
	}
	return nil
}

// reason is why the last connection could not be made, or else err.
func (t *tunnel) reason(err error) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.wrong != nil {
		return t.wrong
	}
	return err
}

func (t *tunnel) close() {
	t.listen.Close()
	t.mu.Lock()
	defer t.mu.Unlock()
	for c := range t.open {
		c.Close()
	}
}
