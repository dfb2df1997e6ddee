package verdict

import "testing"

// TestAimedFaults: no more faults hit than were aimed. A plan that draws its faults requires one
// hit only.
func TestAimedFaults(t *testing.T) {
	for _, c := range []struct {
		e    Evidence
		want int
	}{
		{Evidence{Aimed: 1, Hits: 1}, 1},
		{Evidence{Aimed: 1, Missed: []string{"kill n0"}}, 1},
		{Evidence{Aimed: 1, Hits: 3, Missed: []string{"kill n0"}}, 4},
		{Evidence{Aimed: 2}, 2},
	} {
		if got := c.e.AimedFaults(); got != c.want {
			t.Errorf("%+v: %d, want %d", c.e, got, c.want)
		}
	}
}
