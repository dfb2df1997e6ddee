package verdict

import (
	"slices"
	"strings"
	"testing"
)

// TestTheWorstComesFirst holds the order of headlines.
func TestTheWorstComesFirst(t *testing.T) {
	for _, c := range []struct{ name, violations, want string }{
		{"a lock that releases another's is worse than work beyond a lease",
			"S:lease overrun, O:released by a non-owner", "O S"},
		{"both leases were valid", "S:double grant, L:double grant", "L S"},
		{"S that is no overrun is worse than O", "O:released by a non-owner, S:double grant", "S O"},
		{"a session that was lost is an overrun", "S:session lost, F:double grant", "F S"},
		{"a client that stays inside is an overrun", "S:inside after being told, V:", "V S"},
		{"no progress is worse than a token", "F:double grant, D:", "D F"},
		{"an overrun decides, and a reported orphan does not", "(R):, S:lease overrun", "S R"},
		{"an orphan that decides comes before an overrun", "S:lease overrun, R:", "R S"},
		{"the whole order", "R:, V:, E:, U:, F:, D:, O:, L:", "L O D F U E V R"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var ps []Property
			for _, x := range strings.Split(c.violations, ", ") {
				letter, class, _ := strings.Cut(x, ":")
				ps = append(ps, Property{Property: strings.Trim(letter, "()"), Class: class,
					Reported: strings.HasPrefix(letter, "(")})
			}
			slices.SortStableFunc(ps, ByRank)
			var got []string
			for _, p := range ps {
				got = append(got, p.Property)
			}
			if s := strings.Join(got, " "); s != c.want {
				t.Errorf("got %s, want %s", s, c.want)
			}
		})
	}
}
