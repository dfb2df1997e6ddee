package adapter

import (
	"bufio"
	"fmt"
	"net"
	"testing"

	program "github.com/lockbench/lockbench/internal/env/cluster/worker"
	"github.com/lockbench/lockbench/internal/foreign/tap"
	"github.com/lockbench/lockbench/workloads"
)

// TestASentinelNamesTheOthersByTheClientsOwnWays: a client that connected to a sentinel past the
// tap would hear the new master's own address, and no command to it would be recorded.
func TestASentinelNamesTheOthersByTheClientsOwnWays(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		c, err := l.Accept()
		if err != nil {
			return
		}
		defer c.Close()
		_, _ = bufio.NewReader(c).ReadString('\n')
		_, _ = fmt.Fprint(c, "*2\r\n$8\r\n10.0.0.9\r\n$5\r\n26379\r\n")
	}()
	r := &remote{cfg: workloads.Config{Nodes: []map[string]string{{"n0": "10.0.0.1:6379"}},
		Sentinels: []string{l.Addr().String()}, Peers: []string{"10.0.0.9:26379"}}}
	r.tap = tap.New(observer{r}, tap.Settings{Dial: program.Dialer(0, "")})
	t.Cleanup(r.tap.Close)
	ways, err := r.sentinels()
	if err != nil {
		t.Fatal(err)
	}
	c, err := net.Dial("tcp", ways[0])
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	if _, err := fmt.Fprint(c, "*2\r\n$8\r\nSENTINEL\r\n$9\r\nSENTINELS\r\n"); err != nil {
		t.Fatal(err)
	}
	host, port, _ := net.SplitHostPort(ways[0])
	want := []string{"*2", fmt.Sprintf("$%d", len(host)), host, fmt.Sprintf("$%d", len(port)), port}
	for in, i := bufio.NewScanner(c), 0; i < len(want) && in.Scan(); i++ {
		if in.Text() != want[i] {
			t.Fatalf("it hears %q, want %q", in.Text(), want[i])
		}
	}
}
