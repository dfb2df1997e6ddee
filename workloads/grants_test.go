package workloads

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/lockbench/lockbench/internal/history"
)

// TestTheGrantIsTheLastCommandThatTook reads grants from commands and their replies: node, stamp,
// command > reply.
func TestTheGrantIsTheLastCommandThatTook(t *testing.T) {
	for _, c := range []struct {
		commands []string
		sent     int64 // 0: not found
		lease    time.Duration
		node     string
	}{
		{[]string{"n0 5 SET k v NX PX 2000 > (nil)", "n0 7 SET k v NX PX 2000 > OK"}, 7, 2 * time.Second,
			"n0"},
		{[]string{"n0 5 SET k v EX 3 NX > OK", "n0 9 GET k > v"}, 5, 3 * time.Second, "n0"},
		{[]string{"n0 5 SET k v NX GET PX 2000 > w", "n0 7 SET k v NX GET PX 2000 > (nil)"}, 7,
			2 * time.Second, "n0"},
		{[]string{"n0 5 SET k v NX GET PX 2000 > OK"}, 0, 0, ""}, // the other's value is OK
		{[]string{"n0 5 SETNX k v > 0"}, 0, 0, ""},
		{[]string{"n0 5 SETNX k v > 1"}, 5, 0, "n0"},
		{[]string{"n0 5 SET other v NX PX 2000 > OK"}, 0, 0, ""},
		{[]string{"n0 5 EVALSHA abc 1 k > (error) NOSCRIPT", "n0 6 EVAL text 1 k > (nil)"}, 6, 0, "n0"},
		{[]string{"n0 5 SET k v NX PX 900 > OK", "n1 6 SET k v NX PX 900 > OK",
			"n2 6 SET k v NX PX 900 > (nil)"}, 5, 900 * time.Millisecond, ""},
		{[]string{"n0 5 SET k v NX PX 900 > OK", "n0 8 SET k2 v NX PX 800 > OK"}, 5,
			800 * time.Millisecond, "n0"},
	} {
		g := Grants{Scripts: new(Scripts)}
		g.Expect([]string{"k", "k2"})
		for _, line := range c.commands {
			sent, r := told(line)
			g.See(sent, r)
		}
		var to Granted
		g.Fill(&to)
		if int64(to.Sent) != c.sent || to.Lease != c.lease || to.Node != c.node {
			t.Errorf("%q: %+v", c.commands, to)
		}
	}
}

// TestARenewalIsNoGrant: a watchdog renews while the reply to the grant is late, of this hold or of
// the one before. A script that creates the key is a grant, also if it sets the lease by itself.
func TestARenewalIsNoGrant(t *testing.T) {
	const takes, renews = "if(redis.call('hexists',KEYS[1],ARGV[2])==0)then" +
		"redis.call('hincrby',KEYS[1],ARGV[2],1);redis.call('pexpire',KEYS[1],ARGV[1])end",
		"if(redis.call('hexists',KEYS[1],ARGV[2])==1)then" +
			"return(redis.call('pexpire',KEYS[1],ARGV[1]))end;return(0)"
	for _, c := range []struct {
		name, later string
		sent        int64
	}{
		{"of the hold before", "n0 9 EVALSHA " + history.ScriptID(renews) + " 1 k > 0", 5},
		{"of this hold", "n0 9 EVALSHA " + history.ScriptID(renews) + " 1 k > 1", 5},
		{"by its text", "n0 9 EVAL " + renews + " 1 k > 0", 5},
		{"a second try", "n0 9 EVALSHA " + history.ScriptID(takes) + " 1 k > (nil)", 9},
	} {
		g := Grants{Scripts: new(Scripts)}
		g.learn([]string{"EVAL", renews, "1", "k"})
		g.Expect([]string{"k"})
		for _, line := range []string{"n0 5 EVAL " + takes + " 1 k > (nil)", c.later} {
			sent, r := told(line)
			g.See(sent, r)
		}
		var to Granted
		if g.Fill(&to); int64(to.Sent) != c.sent {
			t.Errorf("%s: the grant was sent at %d", c.name, to.Sent)
		}
	}
}

// TestWhatGivesBackIsNoGrant: a client of several masters deletes on one of them what an earlier
// try took, and is granted the lock by another.
func TestWhatGivesBackIsNoGrant(t *testing.T) {
	const undo = "if(redis.call('get',KEYS[1])==ARGV[1])then(redis.call('del',KEYS[1]))end"
	g := Grants{Scripts: new(Scripts), Masters: 3}
	g.Expect([]string{"k"})
	for _, line := range []string{"n2 3 EVAL " + undo + " 1 k v > 1", "n0 5 SET k v NX PX 9 > OK",
		"n1 6 SET k v NX PX 9 > OK"} {
		g.See(told(line))
	}
	var to Granted
	if g.Fill(&to); to.Sent != 5 {
		t.Errorf("the grant was sent at %d", to.Sent)
	}
}

// told is a command and its reply as a line has them.
func told(line string) (c, r history.Command) {
	command, reply, _ := strings.Cut(line, " > ")
	words := strings.Fields(command)
	c.Node, c.Args = words[0], words[2:]
	fmt.Sscan(words[1], &c.Sent)
	return c, history.Command{Reply: reply}
}

// TestExtensions tells commands that prolong a lease from others.
func TestExtensions(t *testing.T) {
	renew, free := "redis.call('pexpire',KEYS[1])", "redis.call('del',KEYS[1])"
	sha := history.ScriptID
	g := Grants{Scripts: new(Scripts)}
	g.Expect([]string{"k"})
	g.learn([]string{"EVAL", renew, "1", "k"})
	g.learn([]string{"EVAL", free, "1", "k"})
	for line, want := range map[string]bool{
		"n0 1 PEXPIRE k 500 > 1": true, "n0 1 PEXPIRE k 500 > 0": false, "n0 1 EXPIRE k 5 > 1": true,
		"n0 1 PEXPIRE other 500 > 1":                false,
		"n0 1 SET k v IFEQ v PX 500 > OK":           true,
		"n0 1 SET k v IFEQ v PX 500 > (nil)":        false,
		"n0 1 SET k v XX PX 500 > OK":               false,
		"n0 1 EVAL " + renew + " 1 k > 1":           true,
		"n0 1 EVALSHA " + sha(renew) + " 1 k > 1":   true,
		"n0 1 EVALSHA " + sha(renew) + " 1 k > 0":   false,
		"n0 1 EVALSHA " + sha(renew) + " 1 k > [1]": true,
		"n0 1 EVALSHA " + sha(free) + " 1 k > 1":    false,
		"n0 1 EVALSHA 123 1 k > 1":                  false,
	} {
		c, r := told(line)
		if _, ok := g.Prolongs(c, r); ok != want {
			t.Errorf("%s: %v", line, ok)
		}
	}
}

// TestExtensionsOfSeveralMasters wants a lease to be over when a majority has heard of no longer
// one, and a script to be known that another client has made known.
func TestExtensionsOfSeveralMasters(t *testing.T) {
	renew, shared := "redis.call('pexpire',KEYS[1])", new(Scripts)
	shared.Learn(renew)
	g := Grants{Scripts: shared, Lease: 100, Masters: 3}
	g.Expect([]string{"k"})
	for _, line := range []string{"n0 1 SET k v NX > OK", "n1 2 SET k v NX > OK"} {
		g.See(told(line))
	}
	for _, c := range []struct {
		line string
		end  time.Duration // 0: as before
	}{
		{"n0 50 EVALSHA " + history.ScriptID(renew) + " 1 k > 1", 102},
		{"n1 51 EVALSHA " + history.ScriptID(renew) + " 1 k > 0", 0},
		{"n2 60 EVALSHA " + history.ScriptID(renew) + " 1 k > 1", 150},
		{"n1 70 EVALSHA " + history.ScriptID(renew) + " 1 k > 1", 160},
		{"n2 161 EVALSHA " + history.ScriptID(renew) + " 1 k > 1", 0}, // there it was over at 160
		{"n1 170 EVALSHA " + history.ScriptID(renew) + " 1 k > 1", 0}, // n0 is over, and n2: no majority
	} {
		sent, done := told(c.line)
		to, ok := g.Prolongs(sent, done)
		if end := to.Sent + to.Lease; ok != (c.end > 0) || ok && end != c.end {
			t.Errorf("%s: until %d (%v), not %d", c.line, end, ok, c.end)
		}
	}
}

// TestExtensionsOfSeveralKeys wants a lease of two keys to be over with the first of them.
func TestExtensionsOfSeveralKeys(t *testing.T) {
	g := Grants{Scripts: new(Scripts), Lease: 100}
	g.Expect([]string{"k", "k2"})
	g.See(told("n0 1 SET k v NX > OK"))
	g.See(told("n0 5 SET k2 v NX > OK"))
	for _, c := range []struct {
		line string
		end  time.Duration // 0: as before
	}{
		{"n0 50 PEXPIRE k2 100 > 1", 0}, // k is over before
		{"n0 60 PEXPIRE k 100 > 1", 100_000_050},
	} {
		to, ok := g.Prolongs(told(c.line))
		if end := to.Sent + to.Lease; ok != (c.end > 0) || ok && end != c.end {
			t.Errorf("%s: until %d (%v), not %d", c.line, end, ok, c.end)
		}
	}
}

// TestAnExtensionOfALeaseThatIsOver is none: the key is gone, or another client's.
func TestAnExtensionOfALeaseThatIsOver(t *testing.T) {
	renew, scripts := "redis.call('expire',KEYS[1])", new(Scripts)
	scripts.Learn(renew)
	g := Grants{Scripts: scripts, Lease: 100}
	g.Expect([]string{"k"})
	g.See(told("n0 1 SET k v NX > OK"))
	for _, c := range []struct {
		at   string
		want bool
	}{{"60", true}, {"160", true}, {"261", false}, {"262", false}} {
		line := "n0 " + c.at + " EVALSHA " + history.ScriptID(renew) + " 1 k > 1"
		if _, ok := g.Prolongs(told(line)); ok != c.want {
			t.Errorf("sent at %s: %v", c.at, ok)
		}
	}
	// of a lease that is not known nothing is over
	g = Grants{Scripts: scripts}
	g.Expect([]string{"k"})
	g.See(told("n0 1 SET k v NX > OK"))
	if _, ok := g.Prolongs(told("n0 900 EVALSHA " + history.ScriptID(renew) + " 1 k > 1")); !ok {
		t.Error("a lease that is not known is said to be over")
	}
}
