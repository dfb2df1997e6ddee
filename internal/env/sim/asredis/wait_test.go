package asredis

import (
	"bufio"
	"fmt"
	"net"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/lockbench/lockbench/internal/dev/testenv"
	"github.com/lockbench/lockbench/internal/env/cluster/server"
	"github.com/lockbench/lockbench/internal/env/sim"
	"github.com/lockbench/lockbench/nemesis"
)

// waits are scripts with a master n0 and its replica n1: "A> COMMAND" is sent over the connection
// A, which is made when it is first named. "A~ COMMAND" is sent, too, and "A<" reads its reply, or
// what is pushed. "stop n1" and "run n1" stop the replica's process and let it go on, "pass 1s"
// lets time pass: a replica tells by itself once in a second what it has. What the master has sent
// it waits in its socket meanwhile.
var waits = map[string]string{
	"a write is confirmed": `
		A> SET k v
		A> WAIT 1 2000`,
	"more replicas than there are": `
		A> SET k v
		A> WAIT 2 100`,
	"a replica that is stopped confirms nothing": `
		A> SET k v
		A> WAIT 1 2000
		stop n1
		A> SET k w
		A> WAIT 1 100
		run n1
		A> WAIT 1 2000`,
	"a connection waits for what it wrote, not for what others write later": `
		A> SET k v
		A> WAIT 1 2000
		stop n1
		B> SET k w
		A> WAIT 1 100
		B> WAIT 1 100`,
	"a connection that has sent nothing waits for nothing": `
		A> SET k v
		A> WAIT 1 2000
		stop n1
		A> SET k w
		B> WAIT 1 100`,
	"a command that writes nothing counts, too": `
		A> SET k v
		A> WAIT 1 2000
		stop n1
		A> SET k w
		B> PING
		B> WAIT 1 100
		C> GET k
		C> WAIT 1 100`,
	"a WAIT is a command": `
		A> SET k v
		A> WAIT 1 2000
		stop n1
		A> SET k w
		B> WAIT 1 100
		B> WAIT 1 100`,
	"a command that is refused does not count": `
		A> SET k v
		A> WAIT 1 2000
		stop n1
		A> SET k w
		B> GETSET k
		B> WAIT 1 100
		C> NOSUCHCOMMAND
		C> WAIT 1 100`,
	"a command that fails counts": `
		A> SET k v
		A> WAIT 1 2000
		stop n1
		A> SET k w
		B> INCR k
		B> WAIT 1 100`,
	"a transaction counts with its EXEC": `
		A> SET k v
		A> WAIT 1 2000
		stop n1
		A> SET k w
		B> MULTI
		C> MULTI
		C> GET k
		C> EXEC
		C> WAIT 1 100`,
	"a WAIT that waits asks replicas, which is something to confirm": `
		A> SET k v
		A> WAIT 1 2000
		pass 1500ms
		stop n1
		A> WAIT 2 100
		A> WAIT 1 100
		A> WAIT 1 100`,
	"a write that changes nothing": `
		A> SET k v
		A> WAIT 1 2000
		pass 1500ms
		stop n1
		A> SETNX k w
		A> WAIT 1 100
		A> DEL other
		A> WAIT 1 100`,
	"a WAIT that waited is confirmed when a second is over": `
		A> SET k v
		A> WAIT 1 2000
		A> WAIT 2 100
		stop n1
		A> PING
		A> WAIT 1 100
		run n1
		pass 1500ms
		A> WAIT 1 100`,
	"a wait for a list ends with its time": `
		A> BLPOP l 0.05
		A> BRPOP l other 0.05
		A> BRPOPLPUSH l m 0.05
		A> BLMOVE l m LEFT RIGHT 0.05
		A> BZPOPMIN z 0.05
		A> PING`,
	"who waits is served in order": `
		A~ BLPOP l 0
		B~ BRPOP other l 0
		C~ BLMOVE l m LEFT LEFT 0
		D> RPUSH l x y
		A< 
		B< 
		D> LLEN l
		D> RPUSH l z
		C< 
		D> LRANGE m 0 -1
		D> DEL m`,
	"who gave up gets nothing": `
		A> BLPOP l 0.05
		D> RPUSH l x
		D> LPOP l
		A> PING`,
	"a sorted set is waited for": `
		A~ BZPOPMAX z 0
		D> ZADD z 1 a 2 b
		A< 
		D> DEL z`,
	"a key that is over is invalidated although nobody touches it": `
		D> SET k v PX 300
		A> HELLO 3
		A> CLIENT TRACKING ON
		A> GET k
		pass 600ms
		A< 
		A> CLIENT TRACKING OFF
		A> CLIENT TRACKING ON BCAST PREFIX k
		D> SET other v
		D> SET k v PX 100
		A< 
		pass 500ms
		A< `,
	"a key that is over": `
		A> SET k v PX 50
		A> WAIT 1 2000
		pass 1500ms
		stop n1
		A> GET k
		A> WAIT 1 100`,
}

// TestWaitAsRedis compares WAIT with that of a real master with a real replica.
func TestWaitAsRedis(t *testing.T) {
	testenv.Part(t, "redis")
	master, replica := startPair(t)
	for name, script := range waits {
		t.Run(name, func(t *testing.T) {
			simulated, d := playSimulated(t, script), ""
			// A real replica also tells once in a second, which may fall into a script; and on a busy
			// machine a command may arrive later than the next one.
			for range 5 {
				if d = cmp.Diff(playReal(t, master, replica, script), simulated); d == "" {
					return
				}
			}
			t.Errorf("-redis-server +simulator:\n%s", d)
		})
	}
}

// waitStage is where such a script is played.
type waitStage struct {
	dial      func() (net.Conn, error)
	stop, run func(node string) error
	do        func(f func()) // lets f talk to the master, or time pass
}

// play returns the lines of a script with the replies.
func (s waitStage) play(script string) (out []string, err error) {
	conns := map[string]net.Conn{}
	defer func() {
		for _, c := range conns {
			c.Close()
		}
	}()
	for line := range strings.Lines(script) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		what, rest, _ := strings.Cut(line, " ")
		reply := ""
		switch what {
		case "stop":
			err = s.stop(rest)
		case "run":
			err = s.run(rest)
		case "pass":
			d, _ := time.ParseDuration(rest)
			s.do(func() { time.Sleep(d) })
		default:
			s.do(func() { reply, err = converse(conns, what, rest, s.dial) })
		}
		if err != nil {
			return out, fmt.Errorf("%s: %w, after %q", line, err, out)
		}
		out = append(out, line+" = "+reply)
	}
	return out, nil
}

// converse sends a command over a connection and reads the reply of one line, or of one bulk.
func converse(conns map[string]net.Conn, name, command string,
	dial func() (net.Conn, error)) (string, error) {
	name, how := name[:1], name[1:]
	if conns[name] == nil {
		c, err := dial()
		if err != nil {
			return "", err
		}
		conns[name] = c
	}
	c, words := conns[name], strings.Fields(command)
	req := fmt.Sprintf("*%d\r\n", len(words))
	for _, w := range words {
		req += fmt.Sprintf("$%d\r\n%s\r\n", len(w), w)
	}
	if how != "<" {
		if _, err := c.Write([]byte(req)); err != nil || how == "~" {
			time.Sleep(20 * time.Millisecond) // the server has it before the next command
			return "", err
		}
	}
	if err := c.SetReadDeadline(time.Now().Add(5 * time.Second)); err != nil {
		return "", err
	}
	return oneReply(bufio.NewReader(c))
}

func oneReply(r *bufio.Reader) (string, error) {
	line, err := r.ReadString('\n')
	line = strings.TrimSpace(line)
	if err != nil || line == "" || line == "$-1" {
		return line, err
	}
	n, _ := strconv.Atoi(line[1:])
	switch line[0] {
	case '$':
		n = 1
	case '*', '>':
	default:
		return line, nil
	}
	for range n {
		more, err := r.ReadString('\n')
		if err != nil {
			return line, err
		}
		line += " " + strings.TrimSpace(more)
	}
	return line, nil
}

func playSimulated(t *testing.T, script string) (out []string) {
	t.Helper()
	cfg := sim.Config{Topology: nemesis.Failover, Clients: 1, Bare: true}
	err := sim.Run(cfg, func(w *sim.Environment) (err error) {
		var client sim.Client
		stage := waitStage{stop: w.PauseNode, run: w.ResumeNode}
		stage.dial = func() (net.Conn, error) { return client.Dial(client.Context, "tcp", "n0") }
		stage.do = func(f func()) {
			var done atomic.Bool
			broke := w.RunClient(0, func(c sim.Client) { client = c; f(); done.Store(true) })
			if broke != nil || !w.RunUntil(10*time.Second, done.Load) {
				t.Error("the simulator does not answer", broke)
			}
		}
		out, err = stage.play(script)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// startPair starts a real master and its replica, which has heard everything.
func startPair(t *testing.T) (master, replica *server.Node) {
	t.Helper()
	start := func(name, of string) *server.Node {
		dir := t.TempDir()
		host, port := testenv.Address()
		n, err := server.StartNode(server.NodeConfig{Name: name, Host: host, Port: port,
			Dir: dir, Log: filepath.Join(dir, "log"), ReplicaOf: of,
			// its own PING is something to confirm, too
			Config: []string{"repl-ping-replica-period", "3600"}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(n.Kill)
		if err := n.Ready(); err != nil {
			t.Fatal(err)
		}
		return n
	}
	master = start("n0", "")
	replica = start("n1", master.OwnAddr())
	admin := master.Dial()
	defer admin.Close()
	if err := admin.Barrier(1); err != nil {
		t.Fatal(err)
	}
	return master, replica
}

func playReal(t *testing.T, master, replica *server.Node, script string) []string {
	t.Helper()
	dial := func() (net.Conn, error) { return net.Dial("tcp", master.Addr()) }
	if _, err := (waitStage{dial: dial, do: func(f func()) { f() }}).play("Z> FLUSHALL"); err != nil {
		t.Fatal(err) // an earlier try may have left keys
	}
	out, err := waitStage{
		dial: dial,
		stop: func(string) error { return replica.Pause() },
		run:  func(string) error { return replica.Resume() },
		do:   func(f func()) { f() },
	}.play(script)
	if e := replica.Resume(); err == nil {
		err = e
	}
	if err != nil {
		t.Fatal(err)
	}
	return out
}
