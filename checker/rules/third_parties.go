package rules

import (
	"math"
	"strings"

	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/checker/trace"
	"github.com/lockbench/lockbench/checker/verdict"
	"github.com/lockbench/lockbench/internal/history"
)

// thirdParties reports whether keys may have vanished in a time without a deletion that names them
// in the trace: the servers are not the run's own, they evicted keys, a client emptied one then, or
// they counted more deletions than the clients sent.
func (c keyFacts) thirdParties(from, to int64) bool {
	if c.foreign == nil {
		d := removals{&c.history.Header, c.trace.Commands}
		foreign := d.foreign(c.history.Counters())
		c.foreign = &foreign
	}
	return *c.foreign || len(emptyings(c.Case, from, to)) > 0
}

// emptyings returns the commands of clients that may have emptied a server in a time.
func emptyings(c *Case, from, to int64) (out []*history.Command) {
	if c.emptied == nil {
		c.emptied = []*history.Command{}
		for _, m := range c.trace.Commands {
			if trace.Empties(m) && (trace.Answered(m) || trace.Unsure(m)) {
				c.emptied = append(c.emptied, m)
			}
		}
	}
	for _, m := range c.emptied {
		if m.Sent <= to && lastAnswer(m) >= from {
			out = append(out, m)
		}
	}
	return out
}

// ofTakesAtOnce returns the class of two takes that were under way at once and both found the key
// free. In either order no client and no fault can have removed it: it expired, as the commands had
// asked, or a third party may have removed it. It returns "" if neither explains it.
func ofTakesAtOnce(c *Case, p *record.Pair, ga, gb *history.Command) string {
	facts := c.keyFacts()
	over := func(h *record.Hold, first, next *history.Command) bool {
		return facts.keyLeaseOf(h, first, next.Recv).end <= next.Recv
	}
	switch {
	case !facts.vanished(ga, gb) || !facts.vanished(gb, ga):
		return ""
	case over(p.A, ga, gb):
		return verdict.PromisedTooLong
	case !over(p.B, gb, ga) && facts.thirdParties(min(ga.Sent, gb.Sent), max(ga.Recv, gb.Recv)):
		return verdict.Vanished
	}
	return ""
}

// removals are the commands of the run's clients that can have removed keys.
type removals struct {
	header   *history.Header
	commands []*history.Command
}

func (d removals) foreign(counted []history.Counters) bool {
	if d.header.Environment == "external" || d.header.Environment == "" ||
		d.header.Evicts && !d.counts(counted) {
		return true
	}
	for _, n := range counted {
		if n.Evicted > 0 || n.Emptied > d.emptied(n.Node) || float64(n.Deleted) > d.sent(n.Node) {
			return true
		}
	}
	return false
}

// emptied returns how often clients have certainly emptied a server.
func (d removals) emptied(node string) (times int64) {
	for _, m := range d.commands {
		if m.Node == node && trace.Empties(m) && trace.Answered(m) {
			times++
		}
	}
	return times
}

// counts reports whether every server that a client sent a command to has counted.
func (d removals) counts(counted []history.Counters) bool {
	known := map[string]bool{}
	for _, n := range counted {
		known[n.Node] = true
	}
	for _, m := range d.commands {
		if !known[m.Node] {
			return false
		}
	}
	return len(counted) > 0
}

// sent returns how many deletions the clients' commands to a node can have called. What a script
// does is known only if it is declared.
func (d removals) sent(node string) (most float64) {
	for i, m := range d.commands {
		if m.Node != node || m.About > 0 {
			continue
		}
		switch verb := trace.Verb(m); verb {
		case "DEL", "UNLINK":
			if !trace.Continues(d.commands, i) {
				most++
			}
		case "EVAL", "EVALSHA", "EVAL_RO", "EVALSHA_RO", "FCALL", "FCALL_RO":
			most += d.ofScript(verb, m.Args)
		}
	}
	return most
}

func (d removals) ofScript(verb string, args []string) float64 {
	if len(args) < 2 || strings.HasPrefix(verb, "FCALL") {
		return math.Inf(1)
	}
	id := args[1]
	if !strings.HasPrefix(verb, "EVALSHA") {
		id = history.ScriptID(id)
	}
	switch s, known := d.header.Scripts[id]; {
	case !known:
		return math.Inf(1)
	case s.Does == "free":
		return 1
	}
	return 0
}
