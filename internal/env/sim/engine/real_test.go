package engine_test

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/lockbench/lockbench/internal/dev/testenv"
	"github.com/lockbench/lockbench/internal/env/cluster/clock"
	"github.com/lockbench/lockbench/internal/env/cluster/server"
	"github.com/lockbench/lockbench/internal/env/sim/engine"
)

// both is a real redis-server whose clock is held, and the engine, given the same commands at the
// same time.
type both struct {
	t      *testing.T
	clock  *os.File
	now    int64 // µs
	addr   string
	engine *engine.Engine
	conns  []*pair
	asks   *server.Admin // a connection to the real server that is not compared, or nil
}

// pair is a connection to each of them.
type pair struct {
	conn    net.Conn
	r       *bufio.Reader
	session *engine.Session
	pushed  []string // what the engine sent on its own
}

// begin is when the tests' clocks start: 2026-01-01.
const begin = int64(1767225600_000000)

func startBoth(t *testing.T) *both {
	t.Helper()
	testenv.Part(t, "redis")
	testenv.Part(t, "cc")
	dir := t.TempDir()
	lib, err := clock.Shim()
	if err != nil {
		t.Fatal(err)
	}
	b := &both{t: t, engine: engine.New()}
	if b.clock, err = os.Create(filepath.Join(dir, "clock")); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.clock.Close() })
	b.at(begin)
	host, port := testenv.Address()
	n, err := server.StartNode(server.NodeConfig{
		Name: "n0", Host: host, Port: port, Dir: dir, Log: filepath.Join(dir, "log"),
		Env: []string{"LD_PRELOAD=" + lib, "LOCKBENCH_CLOCK=" + b.clock.Name()},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(n.Kill)
	if err := n.Ready(); err != nil {
		t.Fatal(err)
	}
	b.addr = n.Addr()
	b.dial()
	return b
}

func (b *both) dial() *pair {
	c, err := net.Dial("tcp", b.addr)
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() { c.Close() })
	p := &pair{conn: c, r: bufio.NewReader(c)}
	p.session = b.engine.Open(func(m []byte) { p.pushed = append(p.pushed, string(m)) })
	b.conns = append(b.conns, p)
	return p
}

// at sets both clocks, µs. The real one stands still at the time in the second word.
func (b *both) at(now int64) {
	b.now = now
	var raw [16]byte
	binary.NativeEndian.PutUint64(raw[8:], uint64(now)*1000)
	if _, err := b.clock.WriteAt(raw[:], 0); err != nil {
		b.t.Fatal(err)
	}
}

// send sends a command to the real server.
func (b *both) send(p *pair, args ...string) {
	var req strings.Builder
	fmt.Fprintf(&req, "*%d\r\n", len(args))
	for _, a := range args {
		fmt.Fprintf(&req, "$%d\r\n%s\r\n", len(a), a)
	}
	if _, err := io.WriteString(p.conn, req.String()); err != nil {
		b.t.Fatal(err)
	}
}

// do sends a command to both and returns their replies.
func (b *both) do(p *pair, args ...string) (real, ours string) {
	b.send(p, args...)
	ours = string(b.engine.Do(b.now, p.session, args))
	for s := b.engine.Ready(b.now); s != nil; s = b.engine.Ready(b.now) {
		reply := b.engine.Resume(b.now, s)
		s.Push(reply)
	}
	if w := p.session.Blocked; w != nil {
		if w.ForKeys() {
			b.awaitBlocked()
			return "", ours
		}
		p.session.Blocked = nil
	}
	return p.read(b.t), ours
}

// awaitBlocked waits until as many connections to the real server wait for keys as to the engine.
// The server may read the next command of another connection first.
func (b *both) awaitBlocked() {
	waiting := 0
	for _, p := range b.conns {
		if w := p.session.Blocked; w != nil && w.ForKeys() {
			waiting++
		}
	}
	if b.asks == nil {
		admin := server.Dial(b.addr)
		b.asks = &admin
		b.t.Cleanup(func() { admin.Close(); b.asks = nil })
	}
	for limit := time.Now().Add(10 * time.Second); ; {
		info, err := b.asks.Info(b.t.Context(), "clients").Result()
		switch {
		case err != nil:
			b.t.Fatal(err)
		case strings.Contains(info, fmt.Sprintf("\r\nblocked_clients:%d\r\n", waiting)):
			return
		case time.Now().After(limit):
			b.t.Fatalf("no %d connections wait: %s", waiting, info)
		}
	}
}

// read reads one reply of the real server.
func (p *pair) read(t *testing.T) string {
	var o strings.Builder
	_ = p.conn.SetReadDeadline(time.Now().Add(5 * time.Second))
	if err := copyReply(p.r, &o); err != nil {
		t.Fatalf("reading from redis-server: %v after %q", err, o.String())
	}
	return o.String()
}

func copyReply(r *bufio.Reader, o *strings.Builder) error {
	line, err := r.ReadString('\n')
	o.WriteString(line)
	if err != nil {
		return err
	}
	n, _ := strconv.Atoi(strings.TrimSpace(line[1:]))
	switch {
	case line[0] == '$' && n >= 0:
		_, err = io.CopyN(o, r, int64(n)+2)
	case line[0] == '=':
		_, err = io.CopyN(o, r, int64(n)+2)
	case strings.IndexByte("*~>%", line[0]) >= 0:
		if line[0] == '%' {
			n *= 2
		}
		for i := 0; i < n && err == nil; i++ {
			err = copyReply(r, o)
		}
	}
	return err
}
