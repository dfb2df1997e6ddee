package checker

import (
	"slices"
	"strings"
	"testing"

	"github.com/lockbench/lockbench/checker/verdict"
)

// TestVictimOfADeletion: a story calls a deletion certain only if the replies leave one order of
// the two grants, one of which it hit.
func TestVictimOfADeletion(t *testing.T) {
	for _, c := range []struct {
		name, trace string
		kind        verdict.Kind
		either      bool
	}{
		{"either grant may be the first", twoGrants + "2 1 14 0 n0 DEL k ->\n", verdict.PossibleDelete,
			true},
		{"it came before one of the grants", twoGrants + "2 1 9 11 n0 DEL k -> 1\n",
			verdict.ForeignDelete, false},
	} {
		v := Check(story(t, togetherStory), commands(t, c.trace), Options{Properties: []string{"O"}})
		p := v.Properties[0]
		if p.Witness == nil {
			t.Fatalf("%s: %+v", c.name, p)
		}
		i := slices.IndexFunc(p.Witness.Commands, func(m verdict.WitnessCommand) bool {
			return m.Kind.Deletes()
		})
		says := strings.Contains(p.Explanation, "may also have granted client 1 the lock first")
		if i < 0 || p.Witness.Commands[i].Kind != c.kind || says != c.either {
			t.Errorf("%s: %+v %s", c.name, p.Witness.Commands, p.Explanation)
		}
	}
}
