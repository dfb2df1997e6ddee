package need

import (
	"cmp"
	"io"
	"net"
	"os"
	"strings"
	"testing"
)

// Elsewhere puts this machine's Docker daemon behind a TCP port of loopback and returns it as DOCKER_HOST wants it: for all that its clients know,
// the daemon may be on another machine.
func Elsewhere(t testing.TB) string {
	t.Helper()
	Part(t, "bridge")
	socket, ok := strings.CutPrefix(cmp.Or(os.Getenv("DOCKER_HOST"), "unix:///var/run/docker.sock"), "unix://")
	if !ok {
		t.Skip("the daemon is elsewhere already")
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ln.Close() })
	go func() {
		for {
			here, err := ln.Accept()
			if err != nil {
				return
			}
			go join(here, socket)
		}
	}()
	return "tcp://" + ln.Addr().String()
}

// join passes on what either end says, until both have ended: a daemon answers whoever has said all.
func join(here net.Conn, socket string) {
	defer here.Close()
	there, err := net.Dial("unix", socket)
	if err != nil {
		return
	}
	defer there.Close()
	go func() {
		_, _ = io.Copy(there, here)
		_ = there.(*net.UnixConn).CloseWrite()
	}()
	_, _ = io.Copy(here, there)
}
