package testenv

import (
	"cmp"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"strings"
	"testing"
)

// Elsewhere makes this machine's Docker daemon reachable by a TCP port of loopback, and returns the
// value for DOCKER_HOST. Its clients cannot see that the daemon is on the same machine.
func Elsewhere(t testing.TB) string {
	t.Helper()
	Part(t, "bridge")
	socket, ok := strings.CutPrefix(cmp.Or(os.Getenv("DOCKER_HOST"), "unix:///var/run/docker.sock"),
		"unix://")
	if !ok {
		t.Skip("the daemon is elsewhere already")
	}
	return "tcp://" + Listen(t, func(here net.Conn) { join(here, socket) })
}

// Address returns a random address of loopback for a server that takes a host and a port and no
// listener. The chance that another test has it, in another clone too, is below one in a million.
// The next port is free, too. Both are below Linux's ephemeral ports, so no outgoing connection
// takes them.
func Address() (host string, port int) {
	host = fmt.Sprintf("127.%d.%d.%d", 2+rand.IntN(250), rand.IntN(256), 1+rand.IntN(250))
	return host, 20_000 + 2*rand.IntN(5_000)
}

// Listen serves every connection to a port of loopback in a goroutine of its own, until the test
// ends, and returns the port's address. The connection is closed when serve returns.
func Listen(t testing.TB, serve func(net.Conn)) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ln.Close() })
	go func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				serve(c)
			}()
		}
	}()
	return ln.Addr().String()
}

// join passes on the bytes of both ends until both have ended. A daemon may answer only after the
// client has sent everything.
func join(here net.Conn, socket string) {
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
