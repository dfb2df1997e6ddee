package watch_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/lockbench/lockbench/internal/run/watch"
)

// service is five clients that use one lock as they should: each polls with a value of its own,
// leaves long before its lease is over, or lets the lease end and does nothing more.
type service struct {
	rand  *rand.Rand
	now   int64 // µs
	shown int64 // the latest stamp
	lines strings.Builder

	holder, value string
	until         int64
	grants        int
}

// show writes a command as MONITOR does, some milliseconds after it was carried out.
func (s *service) show(client, command string) {
	s.shown = max(s.shown, s.now+s.rand.Int64N(4_000))
	fmt.Fprintf(&s.lines, "%d.%06d %s %s\n", s.shown/1e6, s.shown%1e6, client, command)
}

// act lets a client do its next step.
func (s *service) act(client string, lets bool) {
	const lease = 400_000 // µs
	if s.now >= s.until {
		s.holder = ""
	}
	switch {
	case s.holder == client && lets:
	case s.holder == client && s.now < s.until-50_000:
		s.show(client, "EVALSHA rel 1 lock:x "+s.value)
		s.show("lua", "GET lock:x")
		s.show("lua", "DEL lock:x")
		s.holder = ""
	case s.holder != client:
		value := fmt.Sprintf("%s-%08x", client, s.rand.Uint32())
		s.show(client, "SET lock:x "+value+" NX PX 400")
		if s.holder == "" {
			s.holder, s.value, s.until = client, value, s.now+lease
			s.grants++
		}
	}
}

// TestAHealthyServiceIsNotAccused draws services whose clients meet at the ends of leases.
func TestAHealthyServiceIsNotAccused(t *testing.T) {
	grants, seen := 0, 0
	for seed := range uint64(200) {
		s := &service{rand: rand.New(rand.NewPCG(seed, 0)), now: 1e6}
		for range 2000 {
			s.now += s.rand.Int64N(8_000)
			s.act(string(rune('a'+s.rand.IntN(5))), s.rand.IntN(100) > 0)
		}
		for _, own := range []bool{false, true} {
			sum, events := judged(t, watch.Options{Clients: own}, s.lines.String())
			if sum.Exit == 1 {
				t.Fatalf("seed %d: %s\n%s", seed, sum.Answer, events)
			}
			grants, seen = grants+s.grants, seen+sum.Taken
		}
	}
	if seen < grants/10 {
		t.Errorf("of %d grants %d were judged", grants, seen)
	}
}
