package impls_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"

	"github.com/redis/go-redis/v9"
)

// recorder writes down what goes over the wire, at the connection itself: nothing of a client
// library is in between.
type recorder struct {
	mu      sync.Mutex
	lines   []*line
	scripts map[string]string // text → {name}
}

// line is one command and its reply, or a message.
type line struct{ who, text, reply string }

func (l *line) String() string {
	if l.reply == "" {
		return l.who + " " + l.text
	}
	return l.who + " " + l.text + " -> " + l.reply
}

func (r *recorder) add(l *line) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lines = append(r.lines, l)
}

// text is everything so far.
func (r *recorder) text() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var all []string
	for _, l := range r.lines {
		all = append(all, l.String())
	}
	return all
}

// dial is a dialer whose connections are recorded as who's.
func (r *recorder) dial(who, addr string) *redis.Client {
	o := options(addr)
	o.Dialer = func(ctx context.Context, network, addr string) (net.Conn, error) {
		c, err := (&net.Dialer{}).DialContext(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		return &recorded{Conn: c, r: r, who: who}, nil
	}
	return redis.NewClient(o)
}

// recorded is a connection. go-redis writes a command, or a pipeline, at once; replies come in
// order.
type recorded struct {
	net.Conn
	r   *recorder
	who string

	mu   sync.Mutex
	open []*line // commands without a reply
	in   bytes.Buffer
}

func (c *recorded) Write(b []byte) (int, error) {
	rd := bufio.NewReader(bytes.NewReader(b))
	for {
		v, err := readRESP(rd)
		if err != nil {
			break
		}
		c.sent(v.([]any))
	}
	return c.Conn.Write(b)
}

func (c *recorded) sent(args []any) {
	words := make([]string, len(args))
	for i, a := range args {
		words[i] = a.(string)
		if name := c.r.scripts[words[i]]; name != "" {
			words[i] = name
		}
	}
	words[0] = strings.ToUpper(words[0])
	l := &line{who: c.who, text: strings.Join(words, " ")}
	c.mu.Lock()
	c.open = append(c.open, l)
	c.mu.Unlock()
	if words[0] != "HELLO" && words[0] != "CLIENT" {
		c.r.add(l)
	}
}

func (c *recorded) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.in.Write(b[:n])
	for {
		buf := bytes.NewReader(c.in.Bytes())
		rd := bufio.NewReaderSize(buf, 1<<16)
		v, err := readRESP(rd)
		if err != nil {
			break // the rest comes later
		}
		c.in.Next(c.in.Len() - buf.Len() - rd.Buffered())
		c.received(v)
	}
	return n, err
}

func (c *recorded) received(v any) {
	if push, ok := v.([]any); ok && len(push) == 3 && push[0] == "message" {
		c.r.add(&line{who: c.who, text: "<- " + strings.Trim(show(v), "[]")})
		return
	}
	if len(c.open) == 0 {
		return
	}
	l := c.open[0]
	c.open = c.open[1:]
	c.r.mu.Lock()
	defer c.r.mu.Unlock()
	switch {
	case strings.HasPrefix(l.text, "SUBSCRIBE"):
		l.reply = "subscribe"
	case !strings.HasPrefix(l.text, "UNSUBSCRIBE"):
		// whether its reply is read depends on who closes first
		l.reply = show(v)
	}
}

// show writes a reply. What is left of a lease differs from run to run.
func show(v any) string {
	switch v := v.(type) {
	case nil:
		return "nil"
	case int64:
		if v > 1000 {
			return "<rest>"
		}
		return strconv.FormatInt(v, 10)
	case []any:
		var all []string
		for _, e := range v {
			all = append(all, show(e))
		}
		return "[" + strings.Join(all, " ") + "]"
	}
	return fmt.Sprint(v)
}

// readRESP reads one value of Redis' protocol, version 2. Errors are texts that begin with "-".
func readRESP(r *bufio.Reader) (any, error) {
	head, err := r.ReadString('\n')
	if err != nil {
		return nil, err
	}
	rest := strings.TrimSpace(head[1:])
	switch head[0] {
	case '+':
		return rest, nil
	case '-':
		return head[:len(head)-2], nil
	}
	n, err := strconv.ParseInt(rest, 10, 64)
	if err != nil || head[0] == ':' {
		return n, err
	}
	if n < 0 {
		return nil, nil
	}
	if head[0] == '*' {
		all := make([]any, n)
		for i := range all {
			if all[i], err = readRESP(r); err != nil {
				return nil, err
			}
		}
		return all, nil
	}
	b := make([]byte, n+2)
	for got := 0; got < len(b); {
		k, err := r.Read(b[got:])
		if err != nil {
			return nil, err
		}
		got += k
	}
	return string(b[:n]), nil
}

// ours is the text of a .lua file as it goes over the wire.
func ours(file string) (string, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	var lines []string
	for l := range strings.Lines(string(b)) {
		if l = strings.TrimSpace(l); l != "" && !strings.HasPrefix(l, "--") {
			lines = append(lines, l)
		}
	}
	return strings.Join(lines, " "), nil
}
