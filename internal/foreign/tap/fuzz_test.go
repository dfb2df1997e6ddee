package tap

import (
	"io"
	"net"
	"testing"

	"github.com/lockbench/lockbench/internal/dev/testenv"
)

// FuzzTap lets a client and a server say anything, and wants no panic, and an end.
func FuzzTap(f *testing.F) {
	f.Add([]byte("*2\r\n$3\r\nGET\r\n$1\r\nk\r\n"), []byte("$1\r\nv\r\n"))
	f.Add([]byte("MULTI\r\nGET k\r\nEXEC\r\n"), []byte("+OK\r\n+QUEUED\r\n*1\r\n$1\r\nv\r\n"))
	f.Add([]byte("SUBSCRIBE a b\r\nRESET\r\nEXEC\r\n"),
		[]byte(">3\r\n+subscribe\r\n+a\r\n:1\r\n*-1\r\n"))
	f.Add([]byte("CLIENT REPLY OFF\r\nGET k\r\n\x16"), []byte("|1\r\n+a\r\n+b\r\n_\r\n-ERR\r\n"))
	f.Fuzz(func(t *testing.T, asks, says []byte) {
		upstream := testenv.Listen(t, func(c net.Conn) {
			_, _ = c.Write(says)
			_, _ = io.Copy(io.Discard, c)
		})
		tap := New(observer(), Settings{Dial: direct})
		defer tap.Close()
		address, err := tap.Listen(Ways{Nodes: map[string]string{"n0": upstream}})
		if err != nil {
			t.Fatal(err)
		}
		c, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		_, _ = c.Write(asks)
		_ = c.(*net.TCPConn).CloseWrite()
		_, _ = io.Copy(io.Discard, c) // the tap ends the connection
	})
}
