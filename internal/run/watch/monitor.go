package watch

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/lockbench/lockbench/internal/base/resp"
	"github.com/lockbench/lockbench/internal/env/cluster/server"
	"github.com/lockbench/lockbench/internal/history"
)

// The times of a watch.
const (
	beat    = 200 * time.Millisecond // between two PINGs, which bound the time of each command
	every   = 5                      // beats between two polls
	patient = 5 * time.Second        // for an answer, and the most that MONITOR may lag behind
	retry   = time.Second            // until the next try to connect again
	gather  = 50 * time.Millisecond  // between two reads of few commands
)

// The bounds of what is asked of the server.
const (
	maxProbes  = 100     // keys in a poll
	maxClients = 1_000   // clients for which CLIENT LIST is asked
	maxScan    = 100_000 // keys of a server that are looked through at the beginning
	maxLine    = 1 << 20 // bytes of a command
)

// Live is a watch of a running Redis.
type Live struct {
	Dial func() (net.Conn, error)
	For  time.Duration
	// Ready is called when the watch begins, unless it is nil.
	Ready func()
	// Tick is called once a second in the goroutine of the Judge, unless it is nil.
	Tick func(*Judge)
}

// session is the connections to a server until one breaks.
type session struct {
	id      string // the start of each token
	ctl     net.Conn
	answers *resp.Reader
	polls   chan answer
	held    atomic.Pointer[[]string]
	last    bool // the next poll ends the watch
	judge   *Judge
	tick    func(*Judge)
	ended   atomic.Bool
	lag     error
}

type answer struct {
	token string
	sent  time.Time
	poll  *Poll
}

// Run watches until the time is over or the context ends. It returns an error only if the watch
// could not begin.
func (l Live) Run(ctx context.Context, o Options) (*Summary, error) {
	ctx, cancel := context.WithTimeout(ctx, l.For)
	defer cancel()
	j := New(o)
	for first := true; ctx.Err() == nil; first = false {
		err := l.connected(ctx, j)
		switch {
		case first && j.First == 0 && err != nil:
			return nil, err
		case errors.Is(err, errLag):
			j.withhold() // the server may have removed keys since the last poll
			j.lose(err.Error())
			return j.Finish(), nil
		case err != nil:
			j.lose("the connection broke: " + err.Error())
			j.last = 0 // another server may have another clock
			select {
			case <-time.After(retry):
			case <-ctx.Done():
			}
		}
	}
	return j.Finish(), nil
}

// connected watches over one pair of connections.
func (l Live) connected(ctx context.Context, j *Judge) error {
	s := &session{id: "lockbench:" + rand.Text()[:8] + ":", polls: make(chan answer, 64), judge: j,
		tick: l.Tick}
	var err error
	if s.ctl, err = l.Dial(); err != nil {
		return err
	}
	defer s.ctl.Close()
	s.answers = resp.NewReader(s.ctl)
	if err := s.allowed(); err != nil {
		return err
	}
	mon, err := l.Dial()
	if err != nil {
		return err
	}
	defer mon.Close()
	lines, err := monitor(mon)
	if err != nil {
		return err
	}
	if l.Ready != nil && j.Options.Poll == nil {
		l.Ready()
	}
	j.Options.Poll = s.poll
	asked := make(chan error, 1)
	go func() { asked <- s.ask(ctx); time.AfterFunc(patient, func() { mon.Close() }) }()
	err = s.read(lines)
	s.ctl.Close()
	return cmp.Or(s.lag, err, <-asked)
}

// monitor asks for the stream of commands.
func monitor(c net.Conn) (*bufio.Reader, error) {
	var w resp.Writer
	w.Command("MONITOR")
	_ = c.SetDeadline(time.Now().Add(patient))
	if _, err := c.Write(w.B); err != nil {
		return nil, err
	}
	lines := bufio.NewReaderSize(&gathering{Conn: c}, maxLine)
	said, err := lines.ReadString('\n')
	_ = c.SetDeadline(time.Time{})
	if err == nil && said[0] == '-' {
		err = fmt.Errorf("this Redis does not allow MONITOR (%s): let its user run `+monitor`, or watch "+
			"one service with --proxy", strings.TrimSpace(said[1:]))
	}
	return lines, err
}

// gathering reads many commands at once, because each read costs processor time.
type gathering struct {
	net.Conn
	many bool // the last read had many
}

func (g *gathering) Read(b []byte) (n int, err error) {
	const many = 64 << 10
	if !g.many {
		time.Sleep(gather)
	}
	n, err = g.Conn.Read(b)
	g.many = n >= many
	return n, err
}

// allowed returns the reason why a server cannot be watched, or nil.
func (s *session) allowed() error {
	all, err := s.do([]string{"INFO"})
	switch {
	case err != nil:
		return fmt.Errorf("no Redis answers: %w", err)
	case strings.HasPrefix(all[0], "(error) NOAUTH"), strings.HasPrefix(all[0], "(error) NOPERM"):
		return fmt.Errorf("%s; LOCKBENCH_REDIS_USER and LOCKBENCH_REDIS_PASSWORD say who we are, and "+
			"the user needs +monitor +info +ping", strings.TrimPrefix(all[0], "(error) "))
	case strings.HasPrefix(all[0], "(error)"):
		return errors.New("Redis refuses INFO: " + strings.TrimPrefix(all[0], "(error) "))
	case server.Field(all[0], "role") == "slave":
		return errors.New("it is a replica, where keys do not expire by themselves; --addr must name " +
			"its master")
	}
	return nil
}

// do sends commands at once, and returns the replies as text.
func (s *session) do(commands ...[]string) (replies []string, err error) {
	wires, err := s.exchange(commands)
	for _, wire := range wires {
		replies = append(replies, resp.Text(wire))
	}
	return replies, err
}

// exchange sends commands at once, and returns the replies. A server has a time for them.
func (s *session) exchange(commands [][]string) (replies [][]byte, err error) {
	var w resp.Writer
	for _, c := range commands {
		w.Command(c...)
	}
	_ = s.ctl.SetDeadline(time.Now().Add(patient))
	if _, err := s.ctl.Write(w.B); err != nil {
		return nil, err
	}
	for range commands {
		wire, err := s.answers.Reply()
		if err != nil {
			return nil, err
		}
		replies = append(replies, wire)
	}
	return replies, nil
}

// ask sends PINGs and polls until the watch has ended.
func (s *session) ask(ctx context.Context) error {
	clients := 0
	for n := 0; ; n++ {
		last := ctx.Err() != nil
		if n%every != 0 && !last {
			if _, err := s.do([]string{"PING", s.id + "beat"}); err != nil {
				return err
			}
		} else {
			a := answer{token: s.id + strconv.Itoa(n), sent: time.Now()}
			if last {
				a.token = s.id + "last"
			}
			var err error
			if a.poll, err = s.query(a.token, &clients, n%(5*every) == 0); err != nil {
				return err
			}
			s.polls <- a
		}
		if last {
			return nil
		}
		select {
		case <-time.After(beat):
		case <-ctx.Done():
		}
		if s.ended.Load() {
			return nil
		}
	}
}

// query sends the questions of a poll, with a PING that shows their place among the commands.
func (s *session) query(token string, clients *int, list bool) (*Poll, error) {
	var commands [][]string
	p := &Poll{TTL: map[string]int64{}}
	var keys []string
	if held := s.held.Load(); held != nil {
		keys = *held
	}
	if token == s.id+"0" {
		var err error
		if p.Keys, err = s.scan(); err != nil {
			return nil, err
		}
	}
	for _, k := range keys {
		commands = append(commands, []string{"PTTL", k})
	}
	// What the server counted, and who is connected, includes all up to the PING.
	commands = append(commands, []string{"PING", token}, []string{"INFO"})
	list = list && *clients > 0 && *clients <= maxClients
	if list {
		commands = append(commands, []string{"CLIENT", "LIST"})
	}
	replies, err := s.do(commands...)
	if err != nil {
		return nil, err
	}
	for i, k := range keys {
		if n, err := strconv.ParseInt(replies[i], 10, 64); err == nil {
			p.TTL[k] = n
		}
	}
	info := replies[len(keys)+1]
	p.Evicted, _ = strconv.ParseInt(server.Field(info, "evicted_keys"), 10, 64)
	*clients, _ = strconv.Atoi(server.Field(info, "connected_clients"))
	p.RunID, p.Replica = server.Field(info, "run_id"), server.Field(info, "role") == "slave"
	if list {
		p.Clients = addresses(replies[len(keys)+2])
	}
	return p, nil
}

// scan returns the keys that match the pattern, or nil if the server has too many keys.
func (s *session) scan() (map[string]bool, error) {
	all := map[string]bool{}
	replies, err := s.do([]string{"DBSIZE"})
	if err != nil {
		return nil, err
	}
	size, _ := strconv.Atoi(replies[0])
	for cursor := "0"; size <= maxScan; {
		replies, err := s.exchange([][]string{{"SCAN", cursor, "MATCH", s.judge.pattern,
			"COUNT", "1000"}})
		if err != nil {
			return nil, err
		}
		parts := resp.Items(replies[0])
		if len(parts) != 2 { // it is not allowed
			return nil, nil
		}
		for _, key := range resp.Items(parts[1]) {
			all[resp.Text(key)] = true
		}
		if cursor = resp.Text(parts[0]); cursor == "0" {
			return all, nil
		}
	}
	return nil, nil
}

// addresses returns the addresses in the reply to CLIENT LIST, or nil if it is an error.
func addresses(list string) map[string]bool {
	if strings.HasPrefix(list, "(error)") {
		return nil
	}
	all := map[string]bool{}
	for _, w := range strings.Fields(list) {
		if a, ok := strings.CutPrefix(w, "addr="); ok {
			all[a] = true
		}
	}
	return all
}

// errLag ends a watch that would make Redis buffer too much.
var errLag = errors.New("lockbench could not read as fast as Redis executes, and stopped " +
	"so that Redis need not buffer them")

// poll returns the poll that a token ends. The answers are there soon after MONITOR shows it.
func (s *session) poll(token string) *Poll {
	if !strings.HasPrefix(token, s.id) || strings.HasSuffix(token, ":beat") {
		return nil
	}
	for {
		select {
		case a := <-s.polls:
			if a.token != token {
				continue
			}
			if time.Since(a.sent) > patient {
				s.lag = errLag
			}
			s.last = strings.HasSuffix(token, ":last")
			return a.poll
		case <-time.After(patient):
			return nil
		}
	}
}

// read passes the commands to the judge until the last poll.
func (s *session) read(lines *bufio.Reader) error {
	defer s.ended.Store(true)
	var seen string
	for {
		if err := ReadLine(lines, s.judge); err != nil {
			return err
		}
		if s.lag != nil {
			return s.lag
		}
		if now := s.judge.polls; now != seen {
			seen = now
			held := s.judge.Doubtful(maxProbes)
			s.held.Store(&held)
			if s.tick != nil {
				s.tick(s.judge)
			}
			if s.last {
				return nil
			}
		}
	}
}

// Read judges the output of redis-cli monitor, a file of any length.
func Read(r io.Reader, o Options, tick func(*Judge)) (*Summary, error) {
	j := New(o)
	lines := bufio.NewReaderSize(r, maxLine)
	for {
		err := ReadLine(lines, j)
		switch {
		case errors.Is(err, io.EOF):
			return j.Finish(), nil
		case err != nil:
			return nil, err
		}
		if tick != nil && j.Commands%100_000 == 0 {
			tick(j)
		}
	}
}

// ReadLine passes the next line of MONITOR to a judge. A line that is too long for the bounds makes
// all keys unknown.
func ReadLine(lines *bufio.Reader, j *Judge) error {
	b, err := lines.ReadSlice('\n')
	if err == bufio.ErrBufferFull {
		for err == bufio.ErrBufferFull {
			_, err = lines.ReadSlice('\n')
		}
		j.lose("a command was longer than a megabyte")
		return err
	}
	if len(b) == 0 && err != nil {
		return err
	}
	line := string(bytes.TrimRight(bytes.TrimPrefix(b, []byte("+")), "\r\n"))
	if c, ok := (history.NodeCommand{Line: line}).Shown(); ok {
		j.Add(c)
	} else if line == "OK" && j.First != 0 {
		j.lose("a second capture begins")
	} else if line != "OK" && line != "" {
		j.Unreadable++
	}
	return nil
}
