package server

import (
	"bufio"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/lockbench/lockbench/internal/resp"
)

// login is the other end of a tunnel to a Redis that asks for TLS or AUTH. So neither the proxies
// nor the workers know of them: workers of any language need not, and the password stays in this
// process.
type login struct {
	to    string
	who   ExternalConfig
	trust *tls.Config // nil: what this machine trusts
}

// dial connects to Redis and says who we are.
func (l login) dial() (net.Conn, error) {
	// so that its reason is known before a command has waited for too long
	d := &net.Dialer{Timeout: AdminTimeout / 2}
	var c net.Conn
	var err error
	if l.who.TLS {
		c, err = tls.DialWithDialer(d, "tcp", l.to, l.trust)
	} else {
		c, err = d.Dial("tcp", l.to)
	}
	if err != nil {
		return nil, fmt.Errorf("no Redis answers: %w", err)
	}
	if l.who.Password == "" {
		return c, nil
	}
	if err := l.auth(c); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// auth sends AUTH. Redis says nothing before it is asked, so that nothing but the answer is read.
func (l login) auth(c net.Conn) error {
	words := []string{"AUTH", l.who.Password}
	if l.who.User != "" {
		words = []string{"AUTH", l.who.User, l.who.Password}
	}
	var request resp.Writer
	request.Command(words...)
	if _, err := c.Write(request.B); err != nil {
		return err
	}
	_ = c.SetDeadline(time.Now().Add(AdminTimeout / 2))
	answer, err := bufio.NewReader(resp.Bounded(c)).ReadString('\n')
	if err != nil {
		return fmt.Errorf("no Redis answers: %w", err)
	}
	_ = c.SetDeadline(time.Time{})
	if !strings.HasPrefix(answer, "+OK") {
		return errors.New("LOCKBENCH_REDIS_USER and LOCKBENCH_REDIS_PASSWORD are refused: " +
			strings.TrimSpace(strings.TrimPrefix(answer, "-")))
	}
	return nil
}
