package trace

import (
	"testing"

	"github.com/lockbench/lockbench/internal/history"
)

// TestGetexRenewsAKeyThatIsThere tells by the value that it replies.
func TestGetexRenewsAKeyThatIsThere(t *testing.T) {
	r := NewReader(history.Header{})
	for _, c := range []struct {
		reply string
		args  []string
		want  deed
	}{
		{"v", []string{"GETEX", "k", "PX", "500"}, renews},
		{"1", []string{"GETEX", "k", "EXAT", "5"}, renews},
		{"(nil)", []string{"GETEX", "k", "PX", "500"}, seesNone},
		{"0", []string{"GETEX", "k", "PERSIST"}, sees},
		{"(nil)", []string{"GETEX", "k"}, seesNone},
		{"v", []string{"GETEX", "k"}, sees},
	} {
		m := sent(0, 1, c.reply, c.args...)
		if got := r.does(&m); got != c.want {
			t.Errorf("%v = %s is %d, not %d", c.args, c.reply, got, c.want)
		}
		asks, known := r.Asked(&m)
		if c.want == renews && c.args[2] == "PX" && (asks != 5e8 || !known || !r.MayVote(&m)) {
			t.Errorf("%v asks for %d ns, %v", c.args, asks, known)
		}
	}
}
