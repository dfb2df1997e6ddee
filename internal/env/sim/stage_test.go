package sim_test

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/lockbench/lockbench/internal/env/sim"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/nemesis"
	"github.com/lockbench/lockbench/workloads"
)

// environmentOf reads "environment LOCK [clients=3] [ttl=2s] [poll=1s] [timeout=250ms]
// [variant=call] [topology=failover] [masters=5]".
func environmentOf(order string) (sim.Config, error) {
	words := strings.Fields(order)
	cfg := sim.Config{Topology: nemesis.Single, Clients: 3, Chooser: sim.Recorded{}}
	cfg.Worker = workloads.Config{
		TTL: seconds(2), Poll: seconds(1), AcquireTimeout: seconds(60),
		ClientTimeout: history.Duration(250 * time.Millisecond),
		Keys:          []string{"lock"},
	}
	if len(words) < 2 || words[0] != "environment" {
		return cfg, fmt.Errorf("a scenario begins with: environment LOCK")
	}
	cfg.Worker.Impl = words[1]
	for _, w := range words[2:] {
		name, value, _ := strings.Cut(w, "=")
		var err error
		switch name {
		case "clients":
			cfg.Clients, err = strconv.Atoi(value)
		case "masters":
			cfg.Masters, err = strconv.Atoi(value)
		case "topology":
			cfg.Topology = value
		case "variant":
			cfg.Worker.Variant = value
		case "ttl":
			err = cfg.Worker.TTL.UnmarshalText([]byte(value))
		case "timeout":
			err = cfg.Worker.ClientTimeout.UnmarshalText([]byte(value))
		case "poll":
			err = cfg.Worker.Poll.UnmarshalText([]byte(value))
		default:
			err = fmt.Errorf("no such option")
		}
		if err != nil {
			return cfg, fmt.Errorf("%s: %w", w, err)
		}
	}
	return cfg, nil
}

func seconds(n int) history.Duration { return history.Duration(time.Duration(n) * time.Second) }

// stage plays a scenario. Clients are called P1, P2, … as in the documents.
type stage struct {
	w      *sim.Environment
	cfg    sim.Config
	epoch  int64
	n      []int  // of each client's latest cycle
	gate   int    // the latest
	at     []int  // where each client is to stop, or stands
	stands []bool // it stands there
	idle   []bool // its cycle is over
	args   map[string]string
	inside map[int]bool
	out    strings.Builder
}

func newStage(w *sim.Environment, cfg sim.Config) *stage {
	c := cfg.Clients
	return &stage{
		w: w, cfg: cfg, epoch: w.Now(), n: make([]int, c), at: make([]int, c), stands: make([]bool, c),
		idle: make([]bool, c),
		args: map[string]string{}, inside: map[int]bool{},
	}
}

// news returns what happened since it was last called.
func (s *stage) news() string {
	defer s.out.Reset()
	if s.out.Len() == 0 {
		return "nothing happens\n"
	}
	return s.out.String()
}

func (s *stage) tell(format string, args ...any) {
	fmt.Fprintf(&s.out, "%8.1fms  %s\n", float64((s.w.Now()-s.epoch)/int64(100*time.Microsecond))/10,
		fmt.Sprintf(format, args...))
}

// do carries out one order.
func (s *stage) do(order string) error {
	words := strings.Fields(order)
	switch words[0] {
	case "environment":
		s.tell("%d clients", s.cfg.Clients)
		return nil
	case "acquire", "release", "go":
		return s.move(words)
	case "pause", "resume", "crash", "clock":
		return s.process(words)
	case "advance":
		d, err := time.ParseDuration(words[1])
		s.run(d, func() bool { return false })
		return err
	case "redis":
		return s.foreign(words[1], words[2:])
	}
	return s.fault(words)
}

// client reads a client's number as the documents count: from 1.
func (s *stage) client(word string) (int, error) {
	i, err := strconv.Atoi(word)
	if err != nil || i < 1 || i > s.cfg.Clients {
		return 0, fmt.Errorf("%q is no client; they are 1 to %d", word, s.cfg.Clients)
	}
	return i - 1, nil
}

// patient is how long an order waits for what it asked for: longer than a command takes, shorter
// than a poll.
const patient = 300 * time.Millisecond

// move lets a client go on: "acquire 2", "go 2", "release 2", each perhaps up to a command:
// "acquire 2 before DEL". A client that acquires stops when it is inside.
func (s *stage) move(words []string) error {
	i, err := s.client(words[1])
	if err != nil {
		return err
	}
	passed := s.at[i]
	next := &workloads.Breakpoint{Phase: nemesis.Releasing}
	if len(words) > 2 {
		next = &workloads.Breakpoint{At: words[2], Command: "^" +
			strings.ToLower(strings.Join(words[3:], " "))}
	}
	s.at[i] = 0
	if words[0] != "release" || len(words) > 2 {
		s.gate++
		next.ID = s.gate
		s.at[i] = next.ID
		s.w.Send(i, workloads.Order{Do: workloads.DoArm, Breakpoint: next})
	}
	if s.stands[i] {
		s.stands[i] = false
		s.w.Send(i, workloads.Order{Do: workloads.DoGo, Breakpoint: &workloads.Breakpoint{ID: passed}})
	}
	s.idle[i] = false
	if words[0] == "acquire" {
		s.n[i]++
		s.w.Send(i, workloads.Order{Do: workloads.DoCycle, N: s.n[i], Body: workloads.Mutex})
	}
	s.run(patient, func() bool { return s.stands[i] || s.idle[i] })
	return nil
}

// process does something to a client's process.
func (s *stage) process(words []string) error {
	i, err := s.client(words[1])
	if err != nil {
		return err
	}
	switch words[0] {
	case "pause":
		s.tell("P%d stops", i+1)
		return s.w.PauseClient(i)
	case "resume":
		s.tell("P%d runs again", i+1)
		err = s.w.ResumeClient(i)
	case "crash":
		s.tell("P%d crashes", i+1)
		delete(s.inside, i)
		err = s.w.KillClient(i)
	case "clock":
		var d time.Duration
		d, err = time.ParseDuration(words[2])
		s.tell("P%d's clock is wrong by %v", i+1, d)
		s.w.Send(i, workloads.Order{Do: workloads.DoClock, Offset: history.Duration(d)})
	}
	s.run(10*time.Millisecond, func() bool { return false })
	return err
}

// fault is a step of the nemesis: "kill n0", "promote n1", "cut n0>n1", "hold c0>n0 replies",
// "node-clock n0 2s", "direct * n1".
func (s *stage) fault(words []string) error {
	step := nemesis.Step{Do: words[0]}
	if len(words) > 1 {
		step.Target = words[1]
	}
	switch {
	case words[0] == nemesis.Redirect:
		s.tell("the clients are redirected to %s", words[1])
		for i := range s.cfg.Clients {
			s.w.Send(i, workloads.Order{Do: workloads.DoRedirect, Node: words[1]})
		}
		s.run(time.Millisecond, func() bool { return false })
		return nil
	case slices.Contains([]string{nemesis.Drop, nemesis.Strand, nemesis.Duplicate}, words[0]):
		i, err := nemesis.Client(words[1])
		if err == nil {
			s.tell("the next command of client %d: %s", i, words[0])
			s.w.Send(i, workloads.Order{Do: workloads.DoMessage, Body: words[0]})
			s.run(time.Millisecond, func() bool { return false })
		}
		return err
	case len(words) > 2 && words[0] == nemesis.NodeClock:
		if err := step.Offset.UnmarshalText([]byte(words[2])); err != nil {
			return err
		}
	case len(words) > 2 && words[0] == nemesis.Delay:
		if err := step.For.UnmarshalText([]byte(words[2])); err != nil {
			return err
		}
	case len(words) > 2:
		step.Mode = words[2]
	}
	s.tell("%s", strings.Join(words, " "))
	return nemesis.Apply(s.w, step)
}

// foreign sends a command that belongs to no client, such as an operator's.
func (s *stage) foreign(node string, args []string) error {
	reply, err := s.w.Command(node, args...)
	s.tell("operator %s = %s", strings.Join(args, " "), reply)
	return err
}

// run lets time pass until done, but no longer than d, and tells what happens.
func (s *stage) run(d time.Duration, done func() bool) {
	limit := s.w.Now() + int64(d)
	for !done() {
		r, ok := s.w.Next(context.Background(), limit)
		if !ok {
			return
		}
		s.report(r)
	}
}
