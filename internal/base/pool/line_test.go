package pool

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// TestTheHeavyHaveLessBesideThem: of a room of six a heavy item takes three, one that weighs more
// than there is room goes alone, what comes next begins before all that wait, and what comes last
// after them.
func TestTheHeavyHaveLessBesideThem(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, begun := NewLine[int](6), time.Now()
		l.Add(Turn[int]{Item: 7, Weight: 1, Last: true})
		for i, w := range []int{3, 1, 3, 1, 9, 1} {
			l.Add(Turn[int]{Item: i + 1, Weight: w})
		}
		l.Add(Turn[int]{Item: 0, Weight: 1, Next: true})
		var order []string
		for {
			u, ok := l.Next(t.Context())
			if !ok {
				break
			}
			order = append(order, fmt.Sprintf("%d at %v", u.Item, time.Since(begun)))
			go func() {
				time.Sleep(time.Second)
				l.Leave(u)
			}()
		}
		want := []string{"0 at 0s", "1 at 0s", "2 at 0s", "3 at 1s", "4 at 1s", "5 at 2s", "6 at 3s",
			"7 at 3s"}
		if !slices.Equal(order, want) {
			t.Errorf("%q, not %q", order, want)
		}
	})
}

// TestALineWaitsForWhatIsAdded: while an item is under way, the end has not come.
func TestALineWaitsForWhatIsAdded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewLine[string](2)
		l.Add(Turn[string]{Item: "first", Weight: 1})
		first, _ := l.Next(t.Context())
		go func() {
			time.Sleep(time.Second)
			l.Add(Turn[string]{Item: "again", Weight: 1, Last: true})
			l.Leave(first)
		}()
		if again, ok := l.Next(t.Context()); !ok || again.Item != "again" {
			t.Errorf("%+v, %v; not what was added", again, ok)
		}
		l.Close()
		if _, ok := l.Next(t.Context()); ok {
			t.Error("it goes on after its end")
		}
	})
}

// TestMoreGoWhileThereIsSomethingToSpare: the room is three, and five while something is to spare,
// which is asked anew although nothing leaves.
func TestMoreGoWhileThereIsSomethingToSpare(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, begun := NewLine[int](3), time.Now()
		l.Stretch(5, func() bool { return time.Since(begun) > 4*Window })
		for i := range 7 {
			l.Add(Turn[int]{Item: i, Weight: 1})
		}
		var at []time.Duration
		for {
			u, ok := l.Next(t.Context())
			if !ok {
				break
			}
			at = append(at, time.Since(begun))
			go func() {
				time.Sleep(time.Minute)
				l.Leave(u)
			}()
		}
		want := []time.Duration{0, 0, 0, 5 * Window, 5 * Window, time.Minute, time.Minute}
		if !slices.Equal(at, want) {
			t.Errorf("%v, not %v", at, want)
		}
	})
}
