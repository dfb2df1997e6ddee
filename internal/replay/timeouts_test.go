package replay

import (
	"testing"
	"time"

	"github.com/lockbench/lockbench/history"
	"github.com/lockbench/lockbench/internal/explore/counterexample"
)

// TestPatience: clients wait longer than in the record for a reply that does not come, but only
// until something else happens there.
func TestPatience(t *testing.T) {
	gives := func(us int, err string) counterexample.Step {
		s := at(us, counterexample.Recv, 1, "")
		s.Err = err
		return s
	}
	sent, next := at(0, counterexample.Send, 1, ""), at(90_000, counterexample.Mark, 0, "")
	for name, x := range map[string]struct {
		steps []counterexample.Step
		want  time.Duration
	}{
		"every reply came":    {[]counterexample.Step{sent, gives(50_000, "")}, generous},
		"a refusal is none":   {[]counterexample.Step{sent, gives(50, "dial: refused")}, generous},
		"nothing comes after": {[]counterexample.Step{sent, gives(50_000, "i/o timeout")}, 350e6},
		"a step 40 ms later": {[]counterexample.Step{sent, gives(50_000, "i/o timeout"), next},
			80e6},
		"two give up at once": {[]counterexample.Step{sent, gives(50_000, "i/o timeout"),
			gives(50_000, "context deadline exceeded"), next}, 80e6},
	} {
		c := &counterexample.Counterexample{Steps: x.steps}
		c.Plan.Topology, c.Plan.TTL = "independent", history.Duration(2*time.Second)
		if got := patient(c).NodeTimeout.D(); got != x.want {
			t.Errorf("%s: %v, want %v", name, got, x.want)
		}
	}
}

// TestForgets: a command whose connection was refused will not come, so that the next equal one is
// taken for itself.
func TestForgets(t *testing.T) {
	r := &relay{wake: func() {}, told: map[int]int{}}
	words := []string{"SET", "k", "a"}
	first := &sentCommand{node: "n0", words: words, command: counterexample.Render(words), late: true}
	second := &sentCommand{node: "n0", words: words, command: counterexample.Render(words), late: true}
	r.expect(first)
	r.expect(second)
	r.forget(first)
	m := &message{conn: &connection{relay: r, node: "n0"}, words: words}
	if got := r.sentAs(m); got != second {
		t.Errorf("it is taken for %v", got)
	}
}
