package server

import (
	"bufio"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/lockbench/lockbench/internal/base/resp"
	"github.com/lockbench/lockbench/internal/env/cluster/proxy"
)

// login is the far end of a tunnel to a Redis that requires TLS or AUTH. It does both, so that
// neither the proxies nor the workers, in any language, need to. The password stays in this
// process.
type login struct {
	to    string
	who   ExternalConfig
	trust *tls.Config // or nil for the certificates that this machine trusts
}

// dial connects to Redis and says who we are.
func (l login) dial(net.Addr) (net.Conn, error) {
	// so that its reason is known before a command has waited for too long
	d := &net.Dialer{Timeout: AdminTimeout / 2}
	var c net.Conn
	var err error
	if l.who.TLS {
		c, err = l.encrypted(d)
	} else if c, err = d.Dial("tcp", l.to); err != nil {
		err = fmt.Errorf("no Redis answers: %w", err)
	}
	if err != nil {
		return nil, err
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

// encrypted connects by TLS. A server that asks for a certificate of the client and gets none may
// go on without, and else ends the connection, in TLS 1.3 only when it is used.
func (l login) encrypted(d *net.Dialer) (net.Conn, error) {
	asked, trust := false, &tls.Config{}
	if l.trust != nil {
		trust = l.trust.Clone()
	}
	trust.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
		asked = true
		return &tls.Certificate{}, nil
	}
	c, err := tls.DialWithDialer(d, "tcp", l.to, trust)
	if err == nil && asked {
		if _, err = ask(c, "PING"); err != nil {
			c.Close()
		}
	}
	switch {
	case err != nil && asked:
		return nil, fmt.Errorf("it asks for a certificate of the client, which lockbench has not "+
			"(`tls-auth-clients no` lets it in): %w", err)
	case err != nil:
		return nil, fmt.Errorf("no Redis answers: %w", err)
	}
	return c, nil
}

func (l login) auth(c net.Conn) error {
	words := []string{"AUTH", l.who.Password}
	if l.who.User != "" {
		words = []string{"AUTH", l.who.User, l.who.Password}
	}
	answer, err := ask(c, words...)
	refused := strings.TrimPrefix(answer, "-")
	switch {
	case err != nil:
		return fmt.Errorf("no Redis answers: %w", err)
	case strings.HasPrefix(answer, "+OK"):
		return nil
	case strings.HasPrefix(refused, "ERR max number of clients"):
		return proxy.Said(refused)
	}
	return errors.New("LOCKBENCH_REDIS_USER and LOCKBENCH_REDIS_PASSWORD are refused: " + refused)
}

// ask sends a command and returns the line that answers it. Redis says nothing before it is asked,
// so that nothing but the answer is read.
func ask(c net.Conn, words ...string) (string, error) {
	var request resp.Writer
	request.Command(words...)
	_ = c.SetDeadline(time.Now().Add(AdminTimeout / 2))
	if _, err := c.Write(request.B); err != nil {
		return "", err
	}
	answer, err := bufio.NewReader(resp.Bounded(c)).ReadString('\n')
	_ = c.SetDeadline(time.Time{})
	return strings.TrimSpace(answer), err
}
