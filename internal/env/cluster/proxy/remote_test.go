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

	"github.com/lockbench/lockbench/internal/dev/testenv"
)

// newRemote is a handler of remote proxies in this process, whose files are in folder.
func newRemote(t *testing.T) (s *Remote, folder string) {
	folder = t.TempDir()
	server := httptest.NewServer(RemoteHandler("secret", folder))
	t.Cleanup(server.Close)
	s = &Remote{Addr: server.Listener.Addr().String(), Token: "secret",
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

// answers says what comes of sending something: nothing wrong, or an end. It waits for longer than
// a machine stalls.
func answers(c net.Conn) error { return answersWithin(c, time.Minute) }

// answersWithin says what comes of sending something: nothing wrong, an end, or a time-out.
func answersWithin(c net.Conn, d time.Duration) error {
	_ = c.SetDeadline(time.Now().Add(d))
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

// TestFilesOfServers sets a clock and empties a folder from here.
func TestFilesOfServers(t *testing.T) {
	s, folder := newRemote(t)
	c, err := s.Clock("n0")
	for _, offset := range []time.Duration{0, -time.Hour} {
		if err := errors.Join(err, c.Set(offset)); err != nil {
			t.Fatal(err)
		}
		if b, err := os.ReadFile(filepath.Join(folder, "n0.clock")); err != nil ||
			time.Duration(binary.NativeEndian.Uint64(b)) != offset {
			t.Errorf("the clock's file is %v, %v; want %v", b, err, offset)
		}
	}
	file := filepath.Join(folder, "n0", "appendonly.aof")
	if err := errors.Join(s.Wipe("n0"), os.WriteFile(file, []byte("x"), 0o644), s.Wipe("n0")); err !=
		nil {
		t.Fatal(err)
	}
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
	_, connected := s.connect(echo(t))
	for what, err := range map[string]error{"its API": s.Reached(), "a disk": s.Wipe("n0"),
		"a route": connected} {
		if err == nil {
			t.Errorf("a stranger gets %s", what)
		} else if strings.Contains(err.Error(), "guess") {
			t.Errorf("the token is in %q", err)
		}
	}
}

func TestRemoteProxiesRefuseUnknownRequests(t *testing.T) {
	s, _ := newRemote(t)
	for _, err := range []error{s.ask("/burn/n0", ""), s.ask("/clock/n0", "noon"),
		s.ask("/wipe/", "")} {
		if err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("it says %v", err)
		}
	}
}

// TestRoutesEndWithTheirRemote closes what was connected through it.
func TestRoutesEndWithTheirRemote(t *testing.T) {
	s, _ := newRemote(t)
	addr, err := s.Route(echo(t))
	if err != nil {
		t.Fatal(err)
	}
	c := dialed(t, addr)
	if err := answers(c); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if err := answers(c); err != io.EOF {
		t.Errorf("a connection outlives the remote proxies: %v", err)
	}
}
