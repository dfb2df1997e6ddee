package cluster

import (
	"net"
	"testing"
)

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
		if err := answers(l.Addr().String(), "?"); (err == nil) != c.answers {
			t.Errorf("a server that says %q: %v", c.says, err)
		}
	}
	l.Close()
	if answers(l.Addr().String(), "?") == nil {
		t.Error("a server that is not there answered")
	}
}
