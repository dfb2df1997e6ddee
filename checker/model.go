package checker

import (
	"github.com/anishathalye/porcupine"
	"github.com/lockbench/lockbench/checker/explain"
	"github.com/lockbench/lockbench/checker/verdict"
)

// mutex judges a history by itself as that of a mutex, with unknown outcomes and without leases.
func (c *check) mutex() Property {
	p := Property{Verdict: Valid}
	logs := mutexOps(c.history)
	for _, key := range sortedKeys(logs) {
		l := logs[key]
		f, a, b := fastMutex(l.ops)
		r := ruleMutex(l.ops, c.options.Timeout)
		c.add(r)
		switch {
		case r.result == porcupine.Unknown:
			p = verdict.Worse(p, c.unfinished())
		case (f != none) != (r.result == porcupine.Illegal):
			c.disagree(explain.Say("lock %d: the fast check says %q; porcupine says %s", key,
				explain.Say(flawWords[f]),
				r.result))
			p = verdict.Worse(p, Property{Reason: explain.Say("the two checks disagree")})
		case f != none:
			p = verdict.Worse(p, l.explain(key, f, a, b))
			c.pictureMutex(r.failing, l)
		}
	}
	return p
}

func (c *check) unfinished() Property {
	return Property{Reason: explain.Say("porcupine did not finish in %v", c.options.Timeout)}
}

func (c *check) pictureMutex(failing []op, l *mutexLog) {
	if c.verdict.Draw == nil && failing != nil {
		c.verdict.Draw = func() ([]byte, error) {
			return drawMutex(failing, func(t int32) string { return l.names[t].String() })
		}
	}
}
