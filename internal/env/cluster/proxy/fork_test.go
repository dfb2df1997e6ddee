package proxy

import (
	"io"
	"net"
	"testing"

	"github.com/lockbench/lockbench/internal/dev/testenv"
)

// TestFork: a connection goes over the link of the server that it comes from, and one from
// elsewhere nowhere.
func TestFork(t *testing.T) {
	links, err := Start(loopback, nil, false)
	if err != nil {
		t.Fatal(err)
	}
	defer links.Close()
	one, other := says(t, "one"), says(t, "two")
	addr, err := links.Fork(net.JoinHostPort(loopback, "0"),
		ByHost(map[string]string{"127.0.0.2": one, "127.0.0.3": other}))
	if err != nil {
		t.Fatal(err)
	}
	for from, want := range map[string]string{"127.0.0.2": "one", "127.0.0.3": "two",
		"127.0.0.4": ""} {
		d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
		c, err := d.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		got, _ := io.ReadAll(c)
		c.Close()
		if string(got) != want {
			t.Errorf("%s: %q, want %q", from, got, want)
		}
	}
}

// says is the address of a server that says a word to each client.
func says(t *testing.T, word string) string {
	return testenv.Listen(t, func(c net.Conn) { _, _ = io.WriteString(c, word) })
}
