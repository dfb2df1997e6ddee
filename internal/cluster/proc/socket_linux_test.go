package proc

import (
	"net"
	"net/netip"
	"os"
	"testing"
)

// TestOwnsSocket: this process has the end that connected, and its parent has not; an address that
// was never used belongs to neither.
func TestOwnsSocket(t *testing.T) {
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
	local := netip.MustParseAddrPort(c.LocalAddr().String())
	if !OwnsSocket(os.Getpid(), local) {
		t.Errorf("%s is ours", local)
	}
	if OwnsSocket(os.Getppid(), local) {
		t.Errorf("%s is not our parent's", local)
	}
	if at := netip.MustParseAddrPort(ln.Addr().String()); !Listening(at) || Listening(local) {
		t.Errorf("%s listens, and %s does not", at, local)
	}
	if OwnsSocket(os.Getpid(), netip.MustParseAddrPort("127.0.0.1:1")) {
		t.Error("no connection has the port 1")
	}
}
