package cluster

import (
	"errors"
	"io"
	"net"
	"net/http/httptest"
	"os"
	"testing"
	"time"

	"github.com/lockbench/lockbench/internal/cluster/proxy"
	"github.com/lockbench/lockbench/internal/cluster/server"
	"github.com/lockbench/lockbench/internal/testenv"
	"github.com/lockbench/lockbench/nemesis"
)

// newRemote is a handler of remote proxies in this process, whose files are in folder.
func newRemote(t *testing.T) (s *proxy.Remote, folder string) {
	folder = t.TempDir()
	server := httptest.NewServer(proxy.RemoteHandler("secret", folder))
	t.Cleanup(server.Close)
	s = &proxy.Remote{Addr: server.Listener.Addr().String(), Token: "secret", Host: "127.0.0.1",
		End: func() error { return nil }}
	t.Cleanup(func() { s.Close() })
	return s, folder
}

// echo is a server that answers with what it is sent.
func echo(t *testing.T) string {
	return testenv.Listen(t, func(c net.Conn) { _, _ = io.Copy(c, c) })
}

// dialed is a connection to an address.
func dialed(t *testing.T, addr string) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// answers says what comes of sending something: nothing wrong, an end, or a time-out.
func answers(c net.Conn) error {
	_ = c.SetDeadline(time.Now().Add(time.Second))
	if _, err := c.Write([]byte("x")); err != nil {
		return io.EOF // it was closed before
	}
	_, err := io.ReadFull(c, make([]byte, 1))
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return err
	} else if err != nil {
		return io.EOF
	}
	return nil
}

// TestLinksOfRemoteProxies does things to a link that is elsewhere, from here.
func TestLinksOfRemoteProxies(t *testing.T) {
	s, _ := newRemote(t)
	c := server.NodeConfig{Name: "n0"}
	if err := c.Settle(s); err != nil {
		t.Fatal(err)
	}
	if err := c.Endpoint.Open(echo(t)); err != nil {
		t.Fatal(err)
	}
	p, err := proxy.Start("127.0.0.1", s, false)
	if err != nil {
		t.Fatal(err)
	}
	w := &Environment{links: p, remote: s}
	addr, err := p.Link("c0>n0", c.Upstream(), "")
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		step  nemesis.Step
		after error
	}{
		{nemesis.Step{Do: nemesis.Cut, Target: "c0>n0", Mode: nemesis.Both}, os.ErrDeadlineExceeded},
		{nemesis.Step{Do: nemesis.HoldBack, Target: "c0>n0", Mode: nemesis.Replies},
			os.ErrDeadlineExceeded},
		{nemesis.Step{Do: nemesis.Reset, Target: "c0>n0"}, io.EOF},
		{nemesis.Step{Do: nemesis.Refuse, Target: "c0>n0"}, io.EOF},
	} {
		if err := answers(dialed(t, addr)); err != nil {
			t.Errorf("before %s: %v", row.step.Do, err)
		}
		if err := w.Prove(row.step); err == nil {
			t.Errorf("%s is proved before it is done", row.step.Do)
		}
		if err := errors.Join(nemesis.Apply(w, row.step), w.Prove(row.step)); err != nil {
			t.Fatal(err)
		}
		if err := answers(dialed(t, addr)); !errors.Is(err, row.after) {
			t.Errorf("after %s: %v", row.step.Do, err)
		}
		if err := w.Heal("c0>n0"); err != nil {
			t.Fatal(err)
		}
	}
}
