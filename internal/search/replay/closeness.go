package replay

import (
	"math"
	"strings"
	"time"

	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/search/explore/counterexample"
)

// mostSteps is how many steps real servers and clients can do in a second, one after the other. A
// step takes them one or two milliseconds.
const mostSteps = 1000

// tooMany reports whether some second has more steps than real servers and clients can do.
func tooMany(steps []counterexample.Step) bool {
	for i, s := range steps[min(mostSteps, len(steps)):] {
		if s.At-steps[i].At < history.Duration(time.Second) {
			return true
		}
	}
	return false
}

// clockReading is the latest time at which a client read its clock, according to its commands.
type clockReading struct {
	ms        float64 // the value that it sent: the end of a lease that starts then
	sent      history.Duration
	at        history.Duration // time of the latest command
	acquiring bool             // one reading serves a whole attempt
}

// comparesInAMillisecond reports whether a client compares its clock with the end of a lease that
// is less than a millisecond away. On real servers the comparison may have either result.
func comparesInAMillisecond(c *counterexample.Counterexample) bool {
	clients := map[int]*clockReading{}
	for _, s := range c.Steps {
		k := clients[s.Client]
		if k == nil {
			k = &clockReading{}
			clients[s.Client] = k
		}
		switch s.Kind {
		case counterexample.Mark:
			k.acquiring = s.Phase == counterexample.Acquire
		case counterexample.Send:
			k.sends(s)
		case counterexample.Recv:
			end, _, ok := readings(s.Reply, s.Reply)
			if ok && k.ms > 0 && math.Abs(k.now(c.Plan.Leases.ForClient(s.Client, c.Plan.TTL))-end) < 1 {
				return true
			}
		}
	}
	return false
}

func (k *clockReading) sends(s counterexample.Step) {
	k.at = s.At
	words := strings.Fields(s.Command)
	if len(words) == 0 {
		return
	}
	last := words[len(words)-1]
	if ms, _, ok := readings(last, last); ok {
		k.ms, k.sent = ms, s.At
	}
}

// now returns the client's clock at the time of its comparison, in ms.
func (k *clockReading) now(lease history.Duration) float64 {
	since := k.at - k.sent
	if k.acquiring {
		since = 0
	}
	return k.ms - float64((lease-since).D())/float64(time.Millisecond)
}
