package verdict

import (
	"testing"

	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/nemesis"
)

// TestIsDefect separates the defects of a lock from what no lock of its kind can prevent.
func TestIsDefect(t *testing.T) {
	for _, c := range []struct {
		name string
		Property
		others []Property
		own    bool
	}{
		{"a lost write", Property{Property: LeaseExclusion, Class: LostByServer}, nil, false},
		{"an overrun", Property{Property: MutualExclusion, Class: LeaseOverrun}, nil, false},
		{"a server's clock", Property{Property: LeaseExclusion, Class: Clock,
			Assumption: nemesis.ServerClocks.String()}, nil, false},
		{"a client's clock", Property{Property: LeaseExclusion, Class: Clock,
			Assumption: nemesis.ClientClocks.String()}, nil, true},
		{"a key that was evicted", Property{Property: LeaseExclusion, Class: Vanished,
			Witness: &Witness{Commands: []WitnessCommand{{Kind: Grant}}}}, nil, false},
		{"a key that a client deleted with all others", Property{Property: LeaseExclusion,
			Class: Vanished, Witness: emptied("")}, nil, true},
		{"a key that a client may have deleted with all others", Property{Property: LeaseExclusion,
			Class: Vanished, Witness: emptied("timeout")}, nil, false},
		{"a foreign release", Property{Property: OwnerRelease, Class: ReleasedByNonOwner}, nil, true},
		{"a deadlock", Property{Property: Deadlock}, nil, true},
		{"a reported outage", Property{Property: Outage, Reported: true}, nil, false},
		{"an outage", Property{Property: Outage}, nil, false},
		{"an outage while no server answered", Property{Property: Outage, Assumption: ServersAnswer}, nil,
			false},
		{"a reported refusal", Property{Property: Orphan, Class: RefusedThoughGranted, Reported: true},
			nil, true},
		{"a key that a lost message left behind", Property{Property: Orphan}, nil, false},
		{"an update lost alone", Property{Property: LostUpdate},
			[]Property{{Property: MutualExclusion, Verdict: Valid}}, true},
		{"an update lost by an optimistic lock", Property{Property: LostUpdate},
			[]Property{{Property: MutualExclusion, Verdict: NA}}, true},
		{"an update lost, and overlaps were not judged", Property{Property: LostUpdate}, nil, false},
		{"a late notice of an overrun", Property{Property: Notice},
			[]Property{{Property: MutualExclusion, Class: LeaseOverrun, Verdict: Violated}}, false},
		{"a late notice of a foreign release", Property{Property: Notice},
			[]Property{{Property: MutualExclusion, Class: ReleasedByNonOwner, Verdict: Violated}}, true},
		{"a late notice, and overlaps were not judged", Property{Property: Notice}, nil, false},
		{"an update lost by an overrun", Property{Property: LostUpdate},
			[]Property{{Property: MutualExclusion, Class: LeaseOverrun, Verdict: Violated}}, false},
	} {
		p := c.Property
		p.Verdict = Violated
		v := Verdict{Properties: append(c.others, p)}
		if v.IsDefect(p, false) != c.own {
			t.Errorf("%s: own %v", c.name, !c.own)
		}
		if p.Property == LostUpdate && v.IsDefect(p, true) {
			t.Errorf("%s: own although a server lost writes", c.name)
		}
		p.Verdict = Valid
		if v.IsDefect(p, false) {
			t.Errorf("%s: own although it is valid", c.name)
		}
	}
}

// emptied returns a witness of a command that may have emptied a server, with its error.
func emptied(err string) *Witness {
	return &Witness{Commands: []WitnessCommand{{Kind: Emptying,
		Command: history.Command{Recv: 5, Err: err}}}}
}
