package checker

import "testing"

// Parts of histories in which a fault strikes client 0 inside, and n1 takes over. Clients wait for
// an answer for 80.
const (
	struckInside = "names k; clienttimeout 80; c0 acquire 10 20; c0 release 150 160; " +
		"fault kill n0 30 31 strike; fault promote n1 40 45; "
	waitsOnce = struckInside + "c1 acquire 15 32 fail; "
)

// TestUntested: a fault is put to the test if another client could have been granted the lock by
// the server that took over, while the holder was still inside.
func TestUntested(t *testing.T) {
	for _, c := range []struct {
		name, story, trace string
		optimistic         bool
		want               int // untested faults
	}{
		{"a call that was open before, for a short time", struckInside + "c1 acquire 15 100 fail", "",
			false, 1},
		{"the same, of an optimistic lock", struckInside + "c1 acquire 15 100 fail", "", true, 0},
		{"a call that was open before, for as long as a client waits", struckInside +
			"c1 acquire 15 130 fail", "", false, 0},
		{"a call that began afterwards and returned", waitsOnce + "c1 acquire 50 100 fail", "", false, 0},
		{"a call that began afterwards and returned after the hold", waitsOnce +
			"c1 acquire 140 200 fail", "", false, 1},
		{"a call of unknown outcome", waitsOnce + "c1 acquire 50 100 info", "", false, 1},
		{"a call for another lock", waitsOnce + "c2 acquire 50 100 fail key=1", "", false, 1},
		{"a promotion before the fault", "names k; clienttimeout 200; c0 acquire 10 20; " +
			"c0 release 150 160; fault promote n1 5 8; fault kill n0 30 31 strike; " +
			"c1 acquire 15 100 info", "", false, 0},
		{"a holder that was killed", "names k; clienttimeout 80; c0 acquire 10 20; " +
			"fault crash c0 30 strike; c0 kill 30; fault promote n1 40 45; c1 acquire 15 100 fail", "",
			false, 0},
		{"a call during a later hold", "names k; clienttimeout 80; c0 acquire 10 20; " +
			"c0 release 48 50; c1 acquire 15 58; c1 release 90 95; c2 acquire 62 70 fail; " +
			"fault kill n0 30 31 strike; fault promote n1 40 45", "", false, 1},

		// With a trace, only an answer counts.
		{"the new master refused it", struckInside + "c1 acquire 15 100 fail",
			"1 1 50 55 n1 SETNX k b -> 0", false, 0},
		{"only the old master was asked", struckInside + "c1 acquire 15 130 fail",
			"1 1 50 55 n0 SETNX k b -> 0", false, 1},
		{"the new master was asked before", struckInside + "c1 acquire 15 100 fail",
			"1 1 20 60 n1 SETNX k b -> 0", false, 1},
		{"the new master refused it before it had taken over", struckInside + "c1 acquire 15 43 fail",
			"1 1 41 42 n1 SETNX k b -> 0", false, 1},
		{"the new master answered after the hold", struckInside + "c1 acquire 15 170 fail",
			"1 1 50 155 n1 SETNX k b -> 0", false, 1},
		{"the new master did not answer", struckInside + "c1 acquire 15 100 fail",
			"1 1 50 55 n1 SETNX k b -> !EOF", false, 1},
		{"the new master was asked for something else", struckInside + "c1 acquire 15 100 fail",
			"1 1 50 55 n1 SETNX other b -> 0", false, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := story(t, c.story)
			h.Header.Declares.Optimistic = c.optimistic
			e := Check(h, commands(t, c.trace), Options{Properties: []string{"S"}}).Evidence
			if e.Hits != 1 || len(e.Untested) != c.want {
				t.Errorf("%d hits, untested %q, want %d", e.Hits, e.Untested, c.want)
			}
		})
	}
}

// TestAServerThatWasReplaced: a fault that kills a server strikes no hold that another server
// granted. It strikes a lock that gave back what the server granted it.
func TestAServerThatWasReplaced(t *testing.T) {
	const replaced = "names k; fault promote n1 5 8; c0 acquire 10 20 node=n1; c0 release 150 160; " +
		"c1 acquire 15 100 info; fault kill n0 30 31 strike"
	for _, c := range []struct {
		name, story, trace string
		hits, withheld     int
	}{
		{"another server granted the hold", replaced, "", 0, 0},
		{"the server granted the hold", "names k; c0 acquire 10 20 node=n0; c0 release 150 160; " +
			"c1 acquire 15 100 info; fault kill n0 30 31 strike", "", 1, 0},
		{"a kill of the holder", "names k; c0 acquire 10 20 node=n1; c1 acquire 15 100 info; " +
			"fault crash c0 30 strike; c0 kill 30", "", 1, 0},
		{"one of several masters granted it", "topology independent; " + replaced, "", 1, 0},
		{"no replica had its grant", replaced, "1 1 2 3 n0 WAIT 1 100 -> 0", 1, 1},
		{"one of two replicas had its grant", replaced, "1 1 2 3 n0 WAIT 2 100 -> 1", 1, 1},
		{"a replica had its grant", replaced, "1 1 2 3 n0 WAIT 1 100 -> 1", 0, 0},
		{"no replica of another server had it", replaced, "1 1 2 3 n1 WAIT 1 100 -> 0", 0, 0},
		{"no replica had an earlier grant of the server", "names k; c0 acquire 10 20 node=n0; " +
			"c0 release 150 160; c1 acquire 15 100 info; fault kill n0 30 31 strike",
			"1 1 2 3 n0 WAIT 1 100 -> 0", 1, 0},
		{"the answer came after the fault", replaced, "1 1 2 33 n0 WAIT 1 100 -> 0", 0, 0},
		{"no answer came", replaced, "1 1 2 3 n0 WAIT 1 100 -> !EOF", 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := Check(story(t, c.story), commands(t, c.trace), Options{Properties: []string{"S"}}).Evidence
			if e.Hits != c.hits || e.Withheld != c.withheld {
				t.Errorf("%d hits, %d withheld", e.Hits, e.Withheld)
			}
		})
	}
}
