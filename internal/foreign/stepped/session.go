//go:build linux

package stepped

import (
	"net"
	"slices"
	"strings"
	"sync"

	"github.com/lockbench/lockbench/internal/base/resp"
)

// session is what a server knows of a connection. The server of the next run is told it, so that
// the program can keep the connection.
type session struct {
	talk      resp.Conversation
	out, in   []byte     // the start of a command or a reply that is incomplete
	greetings [][]string // commands that changed the connection
	scripts   [][]string // commands that taught the server a script
}

// greets lists the commands that change a connection. Subscriptions are in the conversation.
var greets = []string{"hello", "auth", "select", "client", "readonly"}

// sends notes what the program sends.
func (s *session) sends(data []byte) {
	s.out = append(s.out, data...)
	for {
		args, rest, err := resp.Command(s.out)
		if err != nil || args == nil {
			return
		}
		s.out = slices.Clone(rest)
		s.talk.Ask(args)
		switch name := strings.ToLower(args[0]); {
		case slices.Contains(greets, name):
			s.greetings = append(s.greetings, args)
		case name == "script" && len(args) == 3:
			s.learns(args[2])
		case name == "eval" && len(args) > 1:
			s.learns(args[1])
		}
	}
}

// learns notes a script that the server knows from now on.
func (s *session) learns(text string) {
	if !slices.ContainsFunc(s.scripts, func(c []string) bool { return c[2] == text }) {
		s.scripts = append(s.scripts, []string{"script", "load", text})
	}
}

// hears notes what the program is told.
func (s *session) hears(data []byte) {
	s.in = append(s.in, data...)
	for {
		n, err := resp.Size(s.in)
		if err != nil || n == 0 {
			return
		}
		s.talk.Take(s.in[:n])
		s.in = slices.Clone(s.in[n:])
	}
}

// rests reports whether no command or reply is under way.
func (s *session) rests() bool {
	return s.talk.Pending() == 0 && len(s.out) == 0 && len(s.in) == 0
}

// past returns the commands that tell another server what this one knows.
func (s *session) past() [][]string {
	return slices.Concat(s.greetings, s.scripts, s.talk.Subscriptions())
}

// tell sends commands and waits for their replies.
func tell(conn net.Conn, commands [][]string) error {
	var talk resp.Conversation
	var w resp.Writer
	for _, args := range commands {
		talk.Ask(args)
		w.Command(args...)
	}
	if len(commands) == 0 {
		return nil
	}
	if _, err := conn.Write(w.B); err != nil {
		return err
	}
	r := resp.NewReader(conn)
	for talk.Pending() > 0 {
		reply, err := r.Reply()
		if err != nil {
			return err
		}
		talk.Take(reply)
	}
	return nil
}

// idle holds the programs that wait for another run.
var idle spares

// mostSpares bounds how many programs wait for another run. Each keeps its memory.
const mostSpares = 24

// spares keeps programs with their configurations, the longest wait first. It is safe for
// concurrent use.
type spares struct {
	mu  sync.Mutex
	all []spare
}

type spare struct {
	config string
	*program
}

// take returns a program, or nil if there is none.
func (s *spares) take(config string) *program {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, x := range slices.Backward(s.all) {
		if x.config == config {
			s.all = slices.Delete(s.all, i, i+1)
			return x.program
		}
	}
	return nil
}

// put keeps a program, and ends one that has waited for too long.
func (s *spares) put(config string, p *program) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.all) == mostSpares {
		s.all[0].close()
		s.all = slices.Delete(s.all, 0, 1)
	}
	s.all = append(s.all, spare{config, p})
}
