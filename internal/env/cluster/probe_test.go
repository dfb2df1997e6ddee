package cluster

import (
	"net"
	"testing"

	"github.com/lockbench/lockbench/internal/env/cluster/server"
	"github.com/lockbench/lockbench/internal/env/cluster/system"
	"github.com/lockbench/lockbench/internal/history"
)

// TestWhyAnAnswerIsLate: a member of etcd says by its status that it found no leader. Other answers
// give no reason.
func TestWhyAnAnswerIsLate(t *testing.T) {
	for _, c := range []struct {
		kind   server.Probed
		answer string
		want   history.Refusal
	}{
		{system.Etcd{}, "HTTP/1.0 503 Service Unavailable\r\n", history.NoLeader},
		{system.Etcd{}, "HTTP/1.0 200 OK\r\n", ""},
		{system.Postgres{}, "HTTP/1.0 503 Service Unavailable\r\n", ""},
	} {
		if why := reason(c.kind, c.answer); why != c.want {
			t.Errorf("%T, %q: %q", c.kind, c.answer, why)
		}
	}
}

// TestAProbe is answered by a server that speaks, and not by one that hangs up or is not there.
func TestAProbe(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	reply := make(chan string)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = c.Write([]byte(<-reply))
			c.Close()
		}
	}()
	for _, c := range []struct {
		says    string
		answers bool
	}{{"ready", true}, {"", false}} {
		go func() { reply <- c.says }()
		if says, err := ask(l.Addr().String(), "?"); (err == nil) != c.answers || says != c.says {
			t.Errorf("a server that says %q: %q, %v", c.says, says, err)
		}
	}
	l.Close()
	if _, err := ask(l.Addr().String(), "?"); err == nil {
		t.Error("a server that is not there answered")
	}
}
