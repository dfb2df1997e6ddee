package checker

import (
	"strings"
	"testing"
)

// Parts of histories of a holder whose renewal fails, and whose lease ends while it is inside.
const (
	outlives = "environment process; lease; names k; ttl 1000; clienttimeout 250; " +
		"c0 acquire 10 20 sent=12 lease=1000; c1 acquire 15 1100 sent=1050 lease=1000; " +
		"c0 release 1500 1520; c1 release 1600 1610; "
	takesFirst = "0 1 12 15 n0 SET k aaaaaaaa NX PX 0.001 -> OK\n" +
		"1 1 1050 1060 n0 SET k bbbbbbbb NX PX 0.001 -> OK\n"
	renewFails = "0 1 340 350 n0 EVALSHA renew 1 k aaaaaaaa 0.001 -> !broken\n"
)

// TestTheCauseNamesTheRenewal: a cause says which renewal failed, how, and until when there was
// time for another.
func TestTheCauseNamesTheRenewal(t *testing.T) {
	p := Check(story(t, outlives), commands(t, takesFirst+renewFails),
		Options{Properties: []string{"S"}}).Properties[0]
	const want = "client 0's renewal (EVALSHA at 0.000 s) failed: broken. It could have tried again " +
		"until its lease ended at 0.000 s, and did not."
	if !strings.Contains(p.Explanation, want) {
		t.Errorf("got %s\nwant %s", p.Explanation, want)
	}
}

// gaveUpCases are about a lock that gave its renewals up, and locks that did not.
var gaveUpCases = []propertyCase{
	{"gave up: one renewal fails, and no other is sent", "S", outlives, takesFirst + renewFails,
		Violated, LostRenewal},
	{"gave up: Redis refuses it", "S", outlives, takesFirst +
		"0 1 340 350 n0 EVALSHA renew 1 k aaaaaaaa 0.001 -> (error) BUSY Redis is busy\n", Violated,
		LostRenewal},
	{"gave up: the fault is over in time", "S", outlives + "fault busy n0 300 700", takesFirst +
		renewFails, Violated, LostRenewal},
	{"gave up: the fault of another client goes on", "S", outlives + "fault pause c1 30 1040",
		takesFirst + renewFails, Violated, LostRenewal},
	{"gave up: its client may wait for the answer for longer", "S", strings.Replace(outlives,
		"clienttimeout 250", "clienttimeout 500", 1), takesFirst + renewFails, Violated, LeaseOverrun},
	{"gave up: nobody knows for how long its client waits for the answer", "S", strings.Replace(
		outlives, "clienttimeout 250; ", "", 1), takesFirst + renewFails, Violated, LeaseOverrun},
	{"gave up: Redis refuses it, and nobody knows for how long its client waits", "S",
		strings.Replace(outlives, "clienttimeout 250; ", "", 1), takesFirst +
			"0 1 340 350 n0 EVALSHA renew 1 k aaaaaaaa 0.001 -> (error) BUSY Redis is busy\n", Violated,
		LostRenewal},
	{"gave up: the second renewal fails, too", "S", outlives, takesFirst + renewFails +
		"0 1 680 690 n0 EVALSHA renew 1 k aaaaaaaa 0.001 -> !broken\n", Violated, LeaseOverrun},
	{"gave up: the fault goes on for too long", "S", outlives + "fault busy n0 300 850", takesFirst +
		renewFails, Violated, LeaseOverrun},
	{"gave up: its client is paused later", "S", outlives + "fault pause c0 400 1055", takesFirst +
		renewFails, Violated, LeaseOverrun},
	{"gave up: it failed too late", "S", outlives, takesFirst +
		"0 1 840 850 n0 EVALSHA renew 1 k aaaaaaaa 0.001 -> !broken\n", Violated, LeaseOverrun},
	{"gave up: it was never answered", "S", outlives, takesFirst +
		"0 1 340 0 n0 EVALSHA renew 1 k aaaaaaaa 0.001 ->\n", Violated, LeaseOverrun},
	{"gave up: a look failed", "S", outlives, takesFirst + "0 1 340 350 n0 GET k -> (error) BUSY\n",
		Violated, LeaseOverrun},
	{"gave up: it was answered", "S", outlives, takesFirst +
		"0 1 340 350 n0 EVALSHA renew 1 k aaaaaaaa 0.001 -> 0\n", Violated, LeaseOverrun},
	{"gave up: the work asked for it, and was told", "S", outlives + "c0 extend 335 355 fail",
		takesFirst + renewFails, Violated, LeaseOverrun},
	{"gave up: its release failed", "S", outlives, takesFirst +
		"0 1 1510 1515 n0 EVALSHA free 1 k aaaaaaaa -> !broken\n", Violated, LeaseOverrun},
}
