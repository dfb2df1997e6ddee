package checker

import (
	"slices"
	"strings"
	"testing"

	"github.com/lockbench/lockbench/checker/verdict"
)

// TestVictimOfADeletion checks how a story names the client whose key a deletion removed. The story
// is certain only if the replies allow one order of the two grants. Otherwise it names the possible
// deletions of each order.
func TestVictimOfADeletion(t *testing.T) {
	for _, c := range []struct {
		name, trace string
		kind        verdict.Kind
		either      bool
		deletions   int
	}{
		{"either grant may be the first", twoGrants + "2 1 14 0 n0 DEL k ->\n", verdict.PossibleDelete,
			true, 1},
		{"it came before one of the grants", twoGrants + "2 1 9 11 n0 DEL k -> 1\n",
			verdict.ForeignDelete, false, 1},
		{"one of them only if client 1 was first", "0 1 12 15 n0 SETNX k a -> 1\n" +
			"1 1 7 16 n0 SETNX k b -> 1\n3 1 8 10 n0 DEL k -> 1\n2 1 14 0 n0 DEL k ->\n",
			verdict.PossibleDelete, true, 2},
		{"one of them in no order", "0 1 12 15 n0 SETNX k a -> 1\n" +
			"1 1 7 16 n0 SETNX k b -> 1\n3 1 4 6 n0 DEL k -> 1\n2 1 14 0 n0 DEL k ->\n",
			verdict.PossibleDelete, true, 1},
	} {
		v := Check(story(t, togetherStory), commands(t, c.trace), Options{Properties: []string{"O"}})
		p := v.Properties[0]
		if p.Witness == nil {
			t.Fatalf("%s: %+v", c.name, p)
		}
		deletes := func(m verdict.WitnessCommand) bool { return m.Kind.Deletes() }
		i := slices.IndexFunc(p.Witness.Commands, deletes)
		keeps := func(m verdict.WitnessCommand) bool { return !deletes(m) }
		n := len(slices.DeleteFunc(slices.Clone(p.Witness.Commands), keeps))
		says := strings.Contains(p.Explanation, "may also have granted client 1 the lock first")
		if i < 0 || p.Witness.Commands[i].Kind != c.kind || says != c.either ||
			n != c.deletions {
			t.Errorf("%s: %+v %s", c.name, p.Witness.Commands, p.Explanation)
		}
	}
}

// TestADeletionIsNoCauseOfAGrantThatCameLate checks that a story blames the grant whose lease was
// over before its reply came, and no client that deleted the key afterwards.
func TestADeletionIsNoCauseOfAGrantThatCameLate(t *testing.T) {
	v := Check(story(t, "c0 acquire 10 20 sent=11 lease=5; c1 acquire 30 40 sent=31 lease=5; "+
		"c1 release 42 45; c0 release 50 60"), commands(t, "0 1 11 19 n0 SETNX k a -> 1\n"+
		"1 1 22 25 n0 DEL k -> 1\n1 1 31 35 n0 SETNX k b -> 1\n"),
		Options{Properties: []string{"S"}})
	p := v.Properties[0]
	if !p.CameLate() || strings.Contains(p.Explanation, "DEL") {
		t.Errorf("%+v %s", p.Witness, p.Explanation)
	}
	v = Check(story(t, "c0 acquire 10 20 sent=11 lease=100; c1 acquire 30 40 sent=31 lease=100; "+
		"c1 release 42 45; c0 release 50 60"), commands(t, "0 1 11 19 n0 SETNX k a -> 1\n"+
		"1 1 22 25 n0 DEL k -> 1\n1 1 31 35 n0 SETNX k b -> 1\n"),
		Options{Properties: []string{"S"}})
	if p = v.Properties[0]; p.CameLate() || !strings.Contains(p.Explanation, "DEL") {
		t.Errorf("%+v %s", p.Witness, p.Explanation)
	}
}
