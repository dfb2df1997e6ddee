package checker

import (
	"strings"
	"testing"

	"github.com/lockbench/lockbench/internal/history"
)

// readers are three that overlap in a chain: the first and the last do not meet.
const readers = "c0 acquire 1 10 shared; c0 release 30 31; " +
	"c1 acquire 2 20 shared; c1 release 50 51; " +
	"c2 acquire 3 40 shared; c2 release 70 71; "

// TestSharedHolds: shared holds may overlap, and an exclusive one none of them. The planted writers
// are inside with the first, the second and the last reader, or with one another.
func TestSharedHolds(t *testing.T) {
	for name, c := range map[string]struct {
		story string
		want  Result
		with  string // the two clients of the witness
	}{
		"readers together":        {readers, Valid, ""},
		"a writer after them":     {readers + "c3 acquire 60 70; c3 release 80 81", Valid, ""},
		"a writer before them":    {readers + "c3 acquire 1 2; c3 release 10 11", Valid, ""},
		"a writer with the first": {readers + "c3 acquire 4 15; c3 release 18 19", Violated, "03"},
		"a writer with a longer":  {readers + "c3 acquire 4 32; c3 release 35 36", Violated, "13"},
		"a writer with the last":  {readers + "c3 acquire 4 55; c3 release 60 61", Violated, "23"},
		"a writer around them":    {readers + "c3 acquire 1 5; c3 release 90 91", Violated, "30"},
		"a reader with a writer": {"c0 acquire 1 5; c0 release 20 21; " +
			"c1 acquire 2 9 shared; c1 release 12 13", Violated, "01"},
		"two writers after readers": {readers + "c3 acquire 60 70; c3 release 90 91; " +
			"c4 acquire 60 80; c4 release 85 86", Violated, "34"},
		"a reader whose lease is out": {"c0 acquire 1 5 shared lease=10; c0 release 50 51; " +
			"c1 acquire 20 30; c1 release 40 41", Violated, "01"},
	} {
		t.Run(name, func(t *testing.T) {
			h := story(t, c.story)
			v := Check(h, nil, Options{})
			p := v.Property(MutualExclusion)
			if p.Verdict != c.want || v.HarnessError != "" {
				t.Fatalf("S is %v (%v), and must be %v; %v", p.Verdict, p.Explanation, c.want,
					v.HarnessError)
			}
			if c.want == Violated && clientsOf(p) != c.with {
				t.Errorf("the witness has the clients %s, and must have %s", clientsOf(p), c.with)
			}
			leased := c.want
			if strings.HasSuffix(name, "out") {
				leased = Valid
			}
			if got := v.Property(LeaseExclusion); got.Verdict != leased {
				t.Errorf("L is %v, and must be %v", got.Verdict, leased)
			}
			m := NewMonitor(h.Header)
			for _, e := range h.Events {
				m.Add(e)
			}
			if told := len(m.Violated()) > 0; told != (c.want == Violated) {
				t.Errorf("the monitor says %v", m.Violated())
			}
		})
	}
}

// clientsOf are the numbers of a witness' clients, one after the other.
func clientsOf(p Property) (numbers string) {
	for _, h := range p.Witness.Holds {
		numbers += string(rune('0' + h.Process))
	}
	return numbers
}

// TestWhatHasNoModelOfSharedHolds is not judged, and nothing is made of it.
func TestWhatHasNoModelOfSharedHolds(t *testing.T) {
	h := story(t, "names k; "+readers)
	h.Header.Properties = []string{OwnerRelease, Orphan, "mutex", "lease"}
	v := Check(h, nil, Options{})
	for _, name := range h.Header.Properties {
		if p := v.Property(name); p.Verdict != NA || !strings.Contains(p.Reason, "shared") {
			t.Errorf("%s is %v: %v", name, p.Verdict, p.Reason)
		}
	}
	if history.Shared != "shared" {
		t.Error("docs/formats.md has another word")
	}
}

// TestAStrikeBetweenReadersHitsNothing: a fault that hits a reader while another one waits is no
// attempt at a violation, and a run with no other is unknown.
func TestAStrikeBetweenReadersHitsNothing(t *testing.T) {
	for holder, waiters := range map[string]map[string]int{
		"shared": {"shared": 0, "": 1}, "": {"shared": 1, "": 1}} {
		for waiter, hits := range waiters {
			h := story(t, "requires strikes=1; c0 acquire 1 5 "+holder+"; fault pause c0 8 90 strike; "+
				"c1 acquire 6 95 "+waiter+"; c0 release 91 92; c1 release 97 98")
			v := Check(h, nil, Options{Properties: []string{"S"}})
			if v.Evidence.Hits != hits || (v.Verdict == Unknown) != (hits == 0) {
				t.Errorf("a holder %q, a waiter %q: %d hits, %s", holder, waiter, v.Evidence.Hits, v.Verdict)
			}
		}
	}
}
