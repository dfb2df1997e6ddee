package checker

import (
	"testing"
)

// exclusionCases are small histories and what they are for S and L, each for its own reason.
var exclusionCases = []struct {
	name, story, want string
}{
	{"two holds one after the other",
		"c0 acquire 1 5; c0 release 10 12; c1 acquire 6 15; c1 release 20 22", "S=valid L=valid"},
	{"two holds at once", "c0 acquire 1 5; c1 acquire 6 8; c0 release 10 12; c1 release 20 22",
		"S=violated L=violated"},
	{"ends that touch are concurrent",
		"c0 acquire 1 5; c0 release 10 12; c1 acquire 6 10; c1 release 20 22", "S=valid L=valid"},
	{"an overlap of one nanosecond",
		"c0 acquire 1 5; c0 release 11 12; c1 acquire 6 10; c1 release 20 22", "S=violated L=violated"},
	{"granted at the same instant",
		"c0 acquire 1 5; c1 acquire 1 5; c0 release 11 12; c1 release 20 22", "S=violated L=violated"},
	{"a release that takes effect late has left at its invocation",
		"c0 acquire 1 5; c0 release 10 90; c1 acquire 6 11; c1 release 20 22", "S=valid L=valid"},
	{"an unknown release ends the hold at its invocation",
		"c0 acquire 1 5; c0 release 10 90 info; c1 acquire 6 11; c1 release 20 22", "S=valid L=valid"},
	{"a release that never returns ends the hold at its invocation",
		"c0 acquire 1 5; c0 release 10; c1 acquire 6 11; c1 release 20 22", "S=valid L=valid"},
	{"an unknown acquire never holds", "c0 acquire 1 5 info; c1 acquire 6 11; c1 release 20 22",
		"S=valid L=valid"},
	{"a failed acquire never holds", "c0 acquire 1 15 fail; c1 acquire 6 11; c1 release 20 22",
		"S=valid L=valid"},
	{"an open acquire never holds", "c0 acquire 1; c1 acquire 6 11; c1 release 20 22",
		"S=valid L=valid"},
	{"a hold without release lasts to the end of the record",
		"c0 acquire 1 5; c1 acquire 6 11; c1 release 20 22", "S=violated L=violated"},
	{"a killed holder is not inside any more",
		"lease; c0 acquire 1 5 sent=2 lease=100; c0 kill 20; c1 acquire 6 105 sent=104 lease=100; c1 " +
			"release 120 122", "S=valid L=valid"},
	{"a killed holder was inside until the kill",
		"lease; c0 acquire 1 5 sent=2 lease=100; c1 acquire 6 19 sent=18 lease=100; c0 kill 20; c1 " +
			"release 40 42", "S=violated L=violated"},
	{"a holder that vanished was inside until its last sign of life",
		"c0 acquire 1 5; c0 exit 90 planned; c1 acquire 6 15; c1 release 20 22", "S=valid L=valid"},
	{"a refused release after the expiry, with nobody else inside, is no violation",
		"lease; c0 acquire 1 5 sent=2 lease=10; c0 release 50 60 fail; c1 acquire 6 55 sent=52 " +
			"lease=10; c1 release 57 58", "S=valid L=valid"},
	{"a lease that ran out while its holder was inside breaks S, not L",
		"lease; c0 acquire 1 5 sent=2 lease=10; c1 acquire 6 15 sent=14 lease=10; c1 release 17 18; c0 " +
			"release 50 60 fail", "S=violated L=valid"},
	{"a lease counts from the sending of its command, not from the call",
		"lease; c0 acquire 1 50 sent=45 lease=10; c1 acquire 6 54 sent=53 lease=10; c1 release 56 57; " +
			"c0 release 60 61", "S=violated L=violated"},
	{"a lease that is over before its reply was read is no hold",
		"lease; c0 acquire 1 50 sent=10 lease=10; c1 acquire 6 30 sent=29 lease=100; c1 release 60 61; " +
			"c0 release 51 52", "S=violated L=valid"},
	{"leases end earlier by the assumed drift",
		"lease; drift 0.5; c0 acquire 1 5 sent=2 lease=20; c1 acquire 6 15 sent=14 lease=20; c1 " +
			"release 17 18; c0 release 50 60 fail", "S=violated L=valid"},
	{"an extension prolongs the lease",
		"lease; c0 acquire 1 5 sent=2 lease=10; c0 extend 10 sent=9 lease=10; c1 acquire 6 15 sent=14 " +
			"lease=10; c1 release 17 18; c0 release 50 60 fail", "S=violated L=violated"},
	{"an extension that came too late leaves a gap",
		"lease; c0 acquire 1 5 sent=2 lease=10; c0 extend 30 sent=25 lease=10; c1 acquire 6 15 sent=14 " +
			"lease=10; c1 release 27 28; c0 release 50 60 fail", "S=violated L=valid"},
	{"an extension by the client counts too",
		"lease; c0 acquire 1 5 sent=2 lease=10; c0 extend 8 10 sent=9 lease=10; c1 acquire 6 15 " +
			"sent=14 lease=10; c1 release 17 18; c0 release 50 60 fail", "S=violated L=violated"},
	{"a holder that was told of the loss",
		"lease; loss; c0 acquire 1 5 sent=2 lease=100; c0 lost 10; c1 acquire 6 15 sent=14 lease=100; " +
			"c1 release 17 18; c0 release 50 60 fail", "S=violated L=valid"},
	{"a holder that was promised no more",
		"lease; validity; c0 acquire 1 5 sent=2 lease=100 valid=10; c1 acquire 6 15 sent=14 lease=100; " +
			"c1 release 17 18; c0 release 50 60 fail", "S=violated L=valid"},
	{"locks of different keys have nothing to do with each other",
		"c0 acquire 1 5 key=0; c1 acquire 6 8 key=1; c0 release 10 12 key=0; c1 release 20 22 key=1",
		"S=valid L=valid"},
	{"one of several keys is enough",
		"c0 acquire 1 5 keys=0,2; c1 acquire 6 8 keys=1,2; c0 release 10 12 keys=0,2; c1 release 20 22 " +
			"keys=1,2", "S=violated L=violated"},
	{"nested holds are one hold",
		"reentrant; c0 acquire 1 5; c0 acquire 6 7 depth=1; c0 release 8 9; c0 release 10 11; c1 " +
			"acquire 2 12; c1 release 13 14", "S=valid L=valid"},
	{"after the inner release the outer hold goes on",
		"reentrant; c0 acquire 1 5; c0 acquire 6 7 depth=1; c0 release 8 9; c1 acquire 2 9; c0 release " +
			"10 11; c1 release 13 14", "S=violated L=violated"},
	{"a nested acquire prolongs the lease",
		"reentrant; lease; c0 acquire 1 5 sent=2 lease=10; c0 acquire 6 7 depth=1 sent=6 lease=10; c1 " +
			"acquire 2 14 sent=13 lease=10; c1 release 15 16; c0 release 18 19; c0 release 20 21",
		"S=violated L=violated"},
	{"who acquires anew without a release has left",
		"c0 acquire 1 5; c1 acquire 6 21; c0 acquire 20 22 fail; c1 release 23 24", "S=valid L=valid"},
	{"a third hold inside a long first one",
		"c0 acquire 1 5; c0 release 10 12; c1 acquire 11 13; c2 acquire 14 15; c1 release 30 31; c2 " +
			"release 32 33", "S=violated L=violated"},
	{"a grant that does not say how long its lease is", "lease; c0 acquire 1 5; c0 release 10 12",
		"S=valid L=unknown"},
	{"a grant between the kill's stamp and the signal",
		"c0 acquire 1 5; c0 kill 4; c1 acquire 2 6; c1 release 7 8", "S=valid L=valid"},
}

func TestExclusion(t *testing.T) {
	for _, c := range exclusionCases {
		t.Run(c.name, func(t *testing.T) {
			v := Check(story(t, c.story), nil, Options{Properties: []string{"S", "L"}})
			if got := show(v); got != c.want {
				t.Errorf("got %s, want %s\n%s\n%+v", got, c.want, v.Summary, v.Properties)
			}
		})
	}
}

// doubtCases are histories whose verdict depends on how far the record can be trusted.
var doubtCases = []struct {
	name, story string
	exit        int
	verdict     Result
}{
	{"as expected", "c0 acquire 1 5; c0 release 10 12", 0, Valid},
	{"a violation is not as expected", "c0 acquire 1 5; c1 acquire 2 6; end 30", 1, Violated},
	{"a violation as expected", "expect violated; c0 acquire 1 5; c1 acquire 2 6; end 30", 0,
		Violated},
	{"the letter that was expected", "expect S; c0 acquire 1 5; c1 acquire 2 6; end 30", 0, Violated},
	{"all letters that were expected",
		"expect S,L; lease; c0 acquire 1 5 sent=1 lease=2; c1 acquire 2 6 sent=3 lease=9; end 30", 1,
		Violated},
	{"a violation that was expected and did not come", "expect S; c0 acquire 1 5; c0 release 6 7", 1,
		Valid},
	{"nobody acquired", "c0 acquire 1 5 fail", 2, Unknown},
	{"too little contention", "requires contended=1; c0 acquire 1 5; c0 release 10 12", 2, Unknown},
	{"enough contention",
		"requires contended=1; c0 acquire 1 5; c1 acquire 6 12; c0 release 10 12; c1 release 14 15", 0,
		Valid},
	{"a scenario that was not played to its end", "c0 acquire 1 5; undone 3 9 kill n0", 2, Unknown},
	{"two inside, in a scenario that was not played to its end",
		"c0 acquire 1 5; c1 acquire 2 6; end 30; undone 3 9 kill n0", 1, Violated},
	{"a plan that asks for fewer than no hits", "requires strikes=-1; c0 acquire 1 5", 2, Unknown},
	{"a strike with nobody waiting",
		"requires strikes=1; c0 acquire 1 5; fault kill n0 7 8 strike; c0 release 10 12", 2, Unknown},
	{"a strike with a contender",
		"requires strikes=1; c0 acquire 1 5; c1 acquire 6 9 fail; fault kill n0 7 8 strike; c0 release " +
			"10 12", 0, Valid},
	{"a strike outside the hold",
		"requires strikes=1; c0 acquire 1 5; c1 acquire 6 19 fail; fault kill n0 14 15 strike; c0 " +
			"release 10 12", 2, Unknown},
	{"a strike that kills the holder",
		"requires strikes=1; lease; c0 acquire 1 5 sent=2 lease=9; c1 acquire 6 19 fail; c0 kill 8; " +
			"fault crash c0 9 15 strike", 0, Valid},
	{"a strike at the instant of the grant, with nobody waiting",
		"requires strikes=1; c0 acquire 1 5; fault kill n0 5 8 strike; c0 release 10 12", 2, Unknown},
	{"an exit that was planned", "c0 acquire 1 5; c0 release 6 7; c0 exit 9 planned", 0, Valid},
	{"an exit after a kill", "c0 acquire 1 5; c0 kill 6; c0 exit 9", 0, Valid},
	{"a grant by the new master before the failover",
		"requires failover; c0 acquire 1 5 node=n1; fault promote n1 6 7; c0 release 10 12", 2, Unknown},
	{"no grant after the failover",
		"requires failover; c0 acquire 1 5 node=n0; fault promote n1 6 7; c0 release 10 12", 2, Unknown},
	{"a grant after the failover",
		"requires failover; c0 acquire 1 5 node=n0; fault promote n1 6 7; c0 release 10 12; c1 acquire " +
			"20 21 node=n1", 0, Valid},
	{"a grant without a node after the failover",
		"requires failover; c0 acquire 1 5; fault promote n1 6 7; c0 release 10 12; c1 acquire 20 21", 0,
		Valid},
	{"interrupted", "c0 acquire 1 5; c0 release 10 12; interrupted", 2, Unknown},
	{"interrupted after a violation", "c0 acquire 1 5; c1 acquire 2 6; c1 release 7 8; interrupted", 1,
		Violated},
	{"the harness broke", "c0 acquire 1 5; c0 release 10 12; broken no space", 255, Unknown},
	{"the harness broke after a violation",
		"c0 acquire 1 5; c1 acquire 2 6; c1 release 7 8; broken no space", 1, Violated},
	{"an exit that nobody planned", "c0 acquire 1 5; c0 release 10 12; c1 exit 20", 255, Unknown},
	{"a violation before an exit that nobody planned",
		"c0 acquire 1 5; c1 acquire 2 6; c2 exit 20; end 30", 1, Violated},
	{"a violation after an exit that nobody planned",
		"c0 acquire 1 5; c2 exit 6; c1 acquire 2 7; end 30", 255, Unknown},
	{"a violation that begins with an exit that nobody planned",
		"c0 acquire 1 5; c2 exit 7; c1 acquire 2 7; end 30", 255, Unknown},
	{"a fault that failed",
		"c0 acquire 1 5; c0 release 10 12; fault pause c1 14 15 err=no_such_process", 255, Unknown},
	{"a fault that lasts to the end",
		"c0 acquire 1 5; c0 release 10 12; fault kill n0 14 15 lasted", 0, Valid},
	{"the machine stalled inside the witness",
		"ttl 100; c0 acquire 1 5 sent=2 lease=60; c0 gap 80 gap=40; c1 acquire 82 90; end 200", 2,
		Unknown},
	{"the machine stalled, but not inside the witness",
		"ttl 100; c0 acquire 101 105; c1 gap 80 gap=40; c1 acquire 82 190; end 200", 1, Violated},
	{"a stall that is too short to matter",
		"ttl 100; c0 acquire 1 5; c1 gap 80 gap=25; c1 acquire 82 90; end 200", 1, Violated},
	{"a pause that was planned",
		"ttl 100; c0 acquire 1 5; fault pause c1 40 80; c1 gap 80 gap=40; c1 acquire 82 90; end 200", 1,
		Violated},
	{"a pause of another client explains nothing",
		"ttl 100; c0 acquire 1 5 sent=2 lease=60; fault pause c1 40 80; c0 gap " +
			"80 gap=40; c1 acquire 82 90; end 200", 2,
		Unknown},
	{"a stall where no lease sets the measure",
		"c0 acquire 1 5; c1 gap 80 gap=40; c1 acquire 82 90; end 200", 1, Violated},
	{"a pause long before the stall explains nothing",
		"ttl 100; c0 acquire 1 5 sent=2 lease=60; fault pause c0 10 20; c0 gap " +
			"80 gap=40; c1 acquire 82 90; end 200", 2,
		Unknown},
	{"a pause after the stall explains nothing",
		"ttl 100; c0 acquire 1 5 sent=2 lease=60; c0 gap 80 gap=40; fault pause " +
			"c0 91 95; c1 acquire 82 90; end 200", 2,
		Unknown},
	{"a stall that a lease would not have outlived",
		"ttl 100; c0 acquire 1 5 sent=2 lease=60; c0 gap 80 gap=20; c1 acquire 82 90; end 200", 1,
		Violated},
	{"a stall of another client",
		"ttl 100; c0 acquire 1 5 sent=2 lease=60; c2 gap 80 gap=40; c1 acquire 82 90; end 200", 1,
		Violated},
	{"a stall while both leases run",
		"ttl 100; c0 acquire 1 5 sent=2 lease=90; c0 gap 80 gap=40; c1 acquire 82 90; end 200", 1,
		Violated},
	{"a stall after the witness",
		"ttl 100; c0 acquire 1 5; c1 acquire 2 6; c2 gap 180 gap=100; end 200", 1, Violated},
	{"a strike at a client that has released",
		"requires strikes=1; c0 acquire 1 5; c0 release 6 7; c1 acquire 2 20 fail; fault pause c0 9 15 " +
			"strike", 2, Unknown},
	{"a strike at a node after the holder was killed",
		"requires strikes=1; lease; c0 acquire 1 5 sent=2 lease=9; c1 acquire 6 19 fail; c0 kill 8; " +
			"fault pause-node n0 9 15 strike", 2, Unknown},
	{"a strike at another client after the holder was killed",
		"requires strikes=1; lease; c0 acquire 1 5 sent=2 lease=9; c1 acquire 6 19 fail; c0 kill 8; " +
			"fault pause c2 9 15 strike", 2, Unknown},
	{"a strike at a client before it was granted and killed",
		"requires strikes=1; lease; c0 acquire 1 5 sent=2 lease=9; c1 acquire 2 19 fail; fault crash " +
			"c0 3 15 strike; c0 kill 8", 2, Unknown},
	{"a strike before the grant",
		"requires strikes=1; c0 acquire 1 5; c1 acquire 2 9 fail; fault pause-node n0 3 4 strike; c0 " +
			"release 10 12", 2, Unknown},
	{"a strike before anybody waits",
		"requires strikes=1; c0 acquire 1 5; fault pause-node n0 6 7 strike; c1 acquire 8 9 fail; c0 " +
			"release 10 12", 2, Unknown},
	{"a strike when nobody waits any more",
		"requires strikes=1; c0 acquire 1 5; c1 acquire 2 5 fail; fault pause-node n0 6 7 strike; c0 " +
			"release 10 12", 2, Unknown},
	{"a strike while somebody waits for another lock",
		"requires strikes=1; c0 acquire 1 5; c1 acquire 2 9 fail key=1; fault pause-node n0 6 7 " +
			"strike; c0 release 10 12", 2, Unknown},
	{"a grant by the old master after the failover",
		"requires failover; fault promote n1 6 7; c0 acquire 8 9 node=n0; c0 release 10 12", 2, Unknown},
	{"a grant without a node that was asked for before the failover",
		"requires failover; c0 acquire 1 9; fault promote n1 6 7; c0 release 10 12", 2, Unknown},
	{"a failover by the name",
		"requires failover; fault failover n1 6 7; c0 acquire 8 9 node=n1; c0 release 10 12", 0, Valid},
	{"a second witness without the stall",
		"ttl 100; c0 acquire 1 5; c1 gap 80 gap=40; c1 acquire 82 90; c0 release 95 96; c2 acquire 97 " +
			"99; end 200", 1, Violated},
}

func TestDoubt(t *testing.T) {
	for _, c := range doubtCases {
		t.Run(c.name, func(t *testing.T) {
			v := Check(story(t, c.story), nil, Options{Properties: []string{"S", "L"}})
			if v.Exit != c.exit || v.Verdict != c.verdict {
				t.Errorf("got %s, exit %d, want %s, exit %d\n%s\n%+v\n%+v", v.Verdict, v.Exit, c.verdict,
					c.exit, v.Summary, v.Properties, v.Evidence)
			}
		})
	}
}
