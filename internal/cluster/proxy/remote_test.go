package proxy

import (
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/lockbench/lockbench/internal/testenv"
)

// newRemote is a handler of remote proxies in this process, whose files are in folder.
func newRemote(t *testing.T) (s *Remote, folder string) {
	folder = t.TempDir()
	server := httptest.NewServer(RemoteHandler("secret", folder))
	t.Cleanup(server.Close)
	s = &Remote{Addr: server.Listener.Addr().String(), Token: "secret", Host: "127.0.0.1",
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

func TestEndpoint(t *testing.T) {
	s, folder := newRemote(t)
	d, err := s.Endpoint("n0")
	if err != nil {
		t.Fatal(err)
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := answers(dialed(t, d.Outer)); err != io.EOF {
		t.Errorf("before the server is there: %v", err)
	}
	must(d.Open(echo(t)))
	inside := dialed(t, d.Outer)
	must(answers(inside))
	must(answers(dialed(t, d.Inner)))

	must(d.Shut())
	if err := answers(dialed(t, d.Outer)); err != io.EOF {
		t.Errorf("after the endpoint was shut: %v", err)
	}
	if err := answers(inside); err != nil {
		t.Errorf("a connection from before the endpoint was shut: %v", err)
	}
	must(d.Clear())
	if err := answers(inside); err != io.EOF {
		t.Errorf("after the endpoint was cleared: %v", err)
	}
	must(d.Open(echo(t))) // another server, at another address
	must(answers(dialed(t, d.Outer)))

	must(d.SetClock(-time.Hour))
	if b, err := os.ReadFile(filepath.Join(folder, "n0.clock")); err != nil ||
		int64(binary.NativeEndian.Uint64(b)) != int64(-time.Hour) {
		t.Errorf("the clock's file is %v, %v", b, err)
	}
	file := filepath.Join(folder, "n0", "appendonly.aof")
	must(os.WriteFile(file, []byte("x"), 0o644))
	must(d.Wipe())
	if _, err := os.Stat(file); err == nil {
		t.Error("a disk that was wiped has its files")
	}
}

func TestRemoteProxiesAskForTheirToken(t *testing.T) {
	s, _ := newRemote(t)
	if err := s.Reached(); err != nil {
		t.Fatal(err)
	}
	s.Token = "guess"
	for what, err := range map[string]error{"its API": s.Reached(), "an endpoint": func() error {
		_, err := s.Endpoint("n0")
		return err
	}(), "a way": func() error { _, err := s.connect(echo(t)); return err }()} {
		if err == nil {
			t.Errorf("a stranger gets %s", what)
		} else if strings.Contains(err.Error(), "guess") {
			t.Errorf("the token is in %q", err)
		}
	}
}

func TestRemoteProxiesRefuseUnknownRequests(t *testing.T) {
	s, _ := newRemote(t)
	d, err := s.Endpoint("n0")
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{d.do("burn", ""), d.do(endpointClock, "noon"),
		(&Endpoint{remote: s, server: "n1"}).Open("127.0.0.1:1")} {
		if err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("it says %v", err)
		}
	}
}
