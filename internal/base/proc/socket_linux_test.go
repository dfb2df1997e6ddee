package proc

import (
	"net"
	"net/netip"
	"os"
	"testing"
)

// TestOwner: this process has the end that connected, and its parent has not; an address that was
// never used belongs to neither.
func TestOwner(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	c, err := net.Dial("tcp", ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	local, own, parent := netip.MustParseAddrPort(c.LocalAddr().String()), os.Getpid(), os.Getppid()
	for _, pids := range [][]int{{own}, {parent, own}} {
		if pid, found := Owner(local, pids); !found || pid != own {
			t.Errorf("%s is ours, of %v it is said to be %d's: %v", local, pids, pid, found)
		}
	}
	for _, pids := range [][]int{{parent}, {}} {
		if pid, found := Owner(local, pids); found {
			t.Errorf("%s is %d's, of %v", local, pid, pids)
		}
	}
	if _, found := Owner(netip.MustParseAddrPort("127.0.0.1:1"), []int{own}); found {
		t.Error("no connection has the port 1")
	}
}

// TestListening is told of who listens, not of connections that are there or were, and keeps no
// server from its address.
func TestListening(t *testing.T) {
	ln, err := net.Listen("tcp", "127.83.4.9:0")
	if err != nil {
		t.Fatal(err)
	}
	at := netip.MustParseAddrPort(ln.Addr().String())
	c, err := net.Dial("tcp", at.String())
	if err != nil {
		t.Fatal(err)
	}
	if other := netip.AddrPortFrom(at.Addr().Next(), at.Port()); !Listening(at) || Listening(other) {
		t.Errorf("%s listens, and %s does not", at, other)
	}
	accepted, err := ln.Accept()
	if err != nil {
		t.Fatal(err)
	}
	ln.Close()
	if Listening(at) {
		t.Errorf("only a connection is left of %s", at)
	}
	accepted.Close() // this end waits from now on
	c.Close()
	if Listening(at) {
		t.Errorf("nothing is left of %s", at)
	}
	over := make(chan struct{})
	go func() {
		defer close(over)
		for range 1000 {
			Listening(at)
		}
	}()
	for range 100 {
		again, err := net.Listen("tcp", at.String())
		if err != nil {
			t.Fatalf("asking is in a server's way: %v", err)
		}
		again.Close()
	}
	<-over
}
