package harness

import (
	"testing"
	"time"

	"github.com/lockbench/lockbench/internal/history"
)

// TestAGrantThatIsNotDated: what a grant does not say stays unsaid, and its lease is lost when it
// is surely over.
func TestAGrantThatIsNotDated(t *testing.T) {
	g := history.Grant{Lease: history.Duration(time.Second)}
	convert(&g, 500)
	if g.Sent != 0 || g.ValidUntil != 0 {
		t.Errorf("got %+v", g)
	}
	dated := history.Grant{Sent: 700, ValidUntil: 900}
	if convert(&dated, 500); dated.Sent != 200 || dated.ValidUntil != 400 {
		t.Errorf("got %+v", dated)
	}
	var h leaseTracker
	h.learn(history.Event{Type: history.OK, F: history.Acquire, T: 300, Grant: &g}, 300)
	if want := 300 + int64(time.Second); h.over != want {
		t.Errorf("the lease ends at %d, not %d", h.over, want)
	}
}
