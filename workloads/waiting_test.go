package workloads

import (
	"bufio"
	"net"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockbench/lockbench/internal/history"
)

// silent makes connections to a server that answers GET when it is told, and whose subscribers get
// no message. It tells of each GET.
func silent(t *testing.T, say <-chan string) (Dial, <-chan bool) {
	asked := make(chan bool, 9)
	return served(t, func(c net.Conn) {
		for words := bufio.NewScanner(c); words.Scan(); {
			switch words.Text() {
			case "hello":
				_, _ = c.Write([]byte("-ERR unknown command\r\n"))
			case "subscribe":
				_, _ = c.Write([]byte("*3\r\n$9\r\nsubscribe\r\n$1\r\nx\r\n:1\r\n"))
			case "get":
				asked <- true
				_, _ = c.Write([]byte(<-say))
			}
		}
	}), asked
}

// TestGivesUp: a client that is told so waits no longer for the reply that it has waited for
// longest, and neither another command nor a subscription notices.
func TestGivesUp(t *testing.T) {
	say := make(chan string)
	dial, asked := silent(t, say)
	r := newRoute(dial, map[string]string{"n0": "a"}, nil, "n0")
	r.begin = func() {}
	c := newRedis(r, Config{ClientTimeout: history.Duration(time.Hour)},
		&redirecting{route: r, to: "n0"})
	defer c.Close()
	sub := c.Subscribe(t.Context(), "x")
	defer sub.Close()
	if _, err := sub.Receive(t.Context()); err != nil {
		t.Fatal(err)
	}
	heard := make(chan error, 1)
	go func() {
		_, err := sub.ReceiveMessage(t.Context())
		heard <- err
	}()
	done := [2]chan *redis.StringCmd{}
	for i := range done {
		done[i] = make(chan *redis.StringCmd, 1)
		go func() { done[i] <- c.Get(t.Context(), "k") }()
		<-asked
		waits(t, r, i+1)
	}
	if err := giveUp([]*route{r}, "n0"); err != nil {
		t.Fatal(err)
	}
	if err := (<-done[0]).Err(); loss(err) != history.TimedOut {
		t.Errorf("the first ended with %v", err)
	}
	say <- "$1\r\na\r\n" // to the first, which is gone, or the second
	say <- "$1\r\na\r\n"
	if v, err := (<-done[1]).Result(); v != "a" || err != nil {
		t.Errorf("the second ended with %q, %v", v, err)
	}
	if err := giveUp([]*route{r}, "n0"); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-heard:
		t.Errorf("the subscription ended with %v", err)
	default:
	}
	if err := giveUp([]*route{r}, "n7"); err == nil {
		t.Error("a node that there is not is waited for")
	}
}

// waits returns when replies are waited for on so many connections.
func waits(t *testing.T, r *route, want int) {
	t.Helper()
	for range 1000 {
		r.mu.Lock()
		n := 0
		for _, c := range r.open {
			if c.since.Load() > 0 {
				n++
			}
		}
		r.mu.Unlock()
		if n >= want {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Fatalf("not %d replies are waited for", want)
}
