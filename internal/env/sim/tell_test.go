package sim_test

import (
	"fmt"
	"strings"

	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/nemesis"
	"github.com/lockbench/lockbench/workloads"
)

// report tells what a client reported.
func (s *stage) report(r workloads.Report) {
	who := r.Process + 1
	switch {
	case r.Command != nil:
		s.command(who, *r.Command)
	case r.Event != nil:
		s.event(who, *r.Event)
	case r.Breakpoint != nil && r.Breakpoint.ID == s.at[r.Process]:
		s.stands[r.Process] = true
		if r.Breakpoint.Command != "" {
			s.tell("P%d is about to send %s", who, short(strings.Fields(r.Breakpoint.Command)))
		}
	case r.Breakpoint != nil:
		s.w.Send(r.Process, workloads.Order{Do: workloads.DoGo, Breakpoint: &workloads.Breakpoint{
			ID: r.Breakpoint.ID}})
	case r.Done != nil:
		s.idle[r.Process] = true
	case r.Exit != nil:
		s.idle[r.Process] = true
	case r.Failed != "":
		s.tell("P%d failed: %s", who, r.Failed)
	}
}

func (s *stage) command(who int, c history.Command) {
	id := fmt.Sprint(who, "/", c.Seq)
	switch {
	case c.Sent != 0:
		s.args[id] = short(c.Args)
		if s.cfg.Topology != nemesis.Single {
			s.args[id] += " @" + c.Node
		}
	case c.Err != "":
		_, reason, _ := strings.Cut(c.Err, ": ")
		s.tell("P%d %s: %s", who, s.args[id], reason)
	default:
		s.tell("P%d %s = %s", who, s.args[id], c.Reply)
	}
}

func (s *stage) event(who int, e history.Event) {
	switch {
	case e.Type == history.Gap && e.Planned:
		s.tell("P%d stood at its breakpoint for %v", who, e.Gap)
	case e.Type == history.Gap:
		s.tell("P%d did not run for %v", who, e.Gap)
	case e.Type == history.OK && e.F == history.Acquire:
		s.tell("P%d has the lock", who)
		for other := range s.cfg.Clients {
			if s.inside[other] {
				s.tell("P%d and P%d are inside at once", other+1, who)
			}
		}
		s.inside[who-1] = true
	case e.Type == history.Invoke && e.F == history.Release:
		s.tell("P%d releases", who)
		delete(s.inside, who-1)
	case e.Type == history.Extend:
		s.tell("P%d extended its lease", who)
	case e.Type == history.Fail || e.Type == history.Info:
		s.tell("P%d: %s: %s", who, e.F, strings.ReplaceAll(e.Err, "\n", ", "))
	}
}

// short shows a command so that it fits a line: of a script its first words, of a token its
// beginning.
func short(args []string) string {
	var words []string
	if strings.EqualFold(args[0], "eval") {
		text := strings.Join(args, " ")
		name := "the script"
		switch {
		case strings.Contains(text, "== ARGV[1] then return redis.call('del'"):
			name = "compare-and-delete"
		case strings.Contains(text, "'publish'"):
			name = "unlock"
		case strings.Contains(text, "'pttl'"):
			name = "lock"
		case strings.Contains(text, "return 1; end; return 0;"):
			name = "renew"
		}
		return "EVAL <" + name + "> " + short(args[len(args)-2:])
	}
	for _, a := range args {
		if len(a) >= 40 {
			a = a[:6] + "…"
		}
		words = append(words, a)
	}
	return strings.Join(words, " ")
}
