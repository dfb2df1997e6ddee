package workloads

import (
	"bufio"
	"context"
	"net"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockbench/lockbench/internal/dev/testenv"
	"github.com/lockbench/lockbench/internal/history"
)

// polite makes connections to a server that answers OK to every SET, whatever its address.
func polite(t *testing.T) Dial { return served(t, answer) }

// served makes connections to a server, whatever its address.
func served(t *testing.T, serve func(net.Conn)) Dial {
	addr := testenv.Listen(t, serve)
	return func(context.Context, string) (net.Conn, error) { return net.Dial("tcp", addr) }
}

func answer(c net.Conn) {
	defer c.Close()
	for words := bufio.NewScanner(c); words.Scan(); {
		switch words.Text() {
		case "hello":
			_, _ = c.Write([]byte("-ERR unknown command\r\n"))
		case "set":
			_, _ = c.Write([]byte("+OK\r\n"))
		}
	}
}

// redirecting sends commands elsewhere when they are about to leave, and notes who answered.
type redirecting struct {
	route    *route
	to       string
	answered string
}

func (h *redirecting) DialHook(next redis.DialHook) redis.DialHook { return next }
func (h *redirecting) ProcessPipelineHook(next redis.ProcessPipelineHook,
) redis.ProcessPipelineHook {
	return next
}

func (h *redirecting) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		before := h.route.current()
		if err := h.route.redirect(h.to); err != nil {
			return err
		}
		made := h.route.connections()
		err := next(ctx, cmd)
		h.answered = h.route.answeredBy(before, made)
		return err
	}
}

// TestACommandIsOfTheNodeThatAnsweredIt: a client that is redirected between the moment when it
// makes up its mind and the moment when it connects is answered by the other node.
func TestACommandIsOfTheNodeThatAnsweredIt(t *testing.T) {
	r := newRoute(polite(t), map[string]string{"n0": "a", "n1": "b"}, nil, "n0")
	r.begin = func() {}
	hook := &redirecting{route: r}
	c := newRedis(r, Config{ClientTimeout: history.Duration(5 * time.Second)}, hook)
	defer c.Close()
	for _, to := range []string{"n0", "n1", "n1", "n0"} {
		hook.to = to
		if err := c.Set(t.Context(), "k", "v", 0).Err(); err != nil {
			t.Fatal(err)
		}
		if hook.answered != to {
			t.Errorf("answered by %s, and recorded as %s", to, hook.answered)
		}
	}
}
