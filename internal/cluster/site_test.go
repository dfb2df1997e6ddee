package cluster

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
	"github.com/lockbench/lockbench/nemesis"
)

// newSite is a site in this process, whose files are in folder.
func newSite(t *testing.T) (s *Site, folder string) {
	folder = t.TempDir()
	server := httptest.NewServer(guarded("secret", newGatehouse(folder).api()))
	t.Cleanup(server.Close)
	s = &Site{Addr: server.Listener.Addr().String(), Token: "secret", Host: "127.0.0.1",
		End: func() error { return nil }}
	t.Cleanup(func() { s.close() })
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

func TestDoor(t *testing.T) {
	s, folder := newSite(t)
	d, err := s.Door("n0")
	if err != nil {
		t.Fatal(err)
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := answers(dialed(t, d.outer)); err != io.EOF {
		t.Errorf("before the server is there: %v", err)
	}
	must(d.Open(echo(t)))
	inside := dialed(t, d.outer)
	must(answers(inside))
	must(answers(dialed(t, d.inner)))

	must(d.Shut())
	if err := answers(dialed(t, d.outer)); err != io.EOF {
		t.Errorf("after the door was shut: %v", err)
	}
	if err := answers(inside); err != nil {
		t.Errorf("whoever was in when the door was shut: %v", err)
	}
	must(d.Clear())
	if err := answers(inside); err != io.EOF {
		t.Errorf("after everybody was sent away: %v", err)
	}
	must(d.Open(echo(t))) // another server, at another address
	must(answers(dialed(t, d.outer)))

	must(d.setClock(-time.Hour))
	if b, err := os.ReadFile(filepath.Join(folder, "n0.clock")); err != nil ||
		int64(binary.NativeEndian.Uint64(b)) != int64(-time.Hour) {
		t.Errorf("the clock's file is %v, %v", b, err)
	}
	file := filepath.Join(folder, "n0", "appendonly.aof")
	must(os.WriteFile(file, []byte("x"), 0o644))
	must(d.wipe())
	if _, err := os.Stat(file); err == nil {
		t.Error("a disk that was wiped has its files")
	}
}

func TestASiteAsksForItsToken(t *testing.T) {
	s, _ := newSite(t)
	if err := s.Reached(); err != nil {
		t.Fatal(err)
	}
	s.Token = "guess"
	for what, err := range map[string]error{"its API": s.Reached(), "a door": func() error {
		_, err := s.Door("n0")
		return err
	}(), "a way": func() error { _, err := s.connect(echo(t)); return err }()} {
		if err == nil {
			t.Errorf("a stranger gets %s", what)
		} else if strings.Contains(err.Error(), "guess") {
			t.Errorf("the token is in %q", err)
		}
	}
}

func TestASiteRefusesWhatItDoesNotKnow(t *testing.T) {
	s, _ := newSite(t)
	d, err := s.Door("n0")
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{d.do("burn", ""), d.do(doorClock, "noon"),
		(&Door{site: s, server: "n1"}).Open("127.0.0.1:1")} {
		if err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("it says %v", err)
		}
	}
}

// TestLinksOfASite strikes a link that is at a site, from here.
func TestLinksOfASite(t *testing.T) {
	s, _ := newSite(t)
	c := NodeConfig{Name: "n0"}
	if err := c.Settle(s); err != nil {
		t.Fatal(err)
	}
	if err := c.Door.Open(echo(t)); err != nil {
		t.Fatal(err)
	}
	p, err := startProxies("127.0.0.1", s, false)
	if err != nil {
		t.Fatal(err)
	}
	w := &Environment{proxies: p, site: s}
	addr, err := p.link("c0>n0", c, "")
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
