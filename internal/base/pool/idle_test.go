package pool

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestTimesOfTheMachine(t *testing.T) {
	const stat = "cpu  100 1 20 300 40 5 6 7 50 0\ncpu0 1 2 3 4 5\n"
	if got, ok := parseTimes([]byte(stat)); !ok || got != (times{idle: 340, all: 479}) {
		t.Errorf("%+v, %v", got, ok)
	}
	for _, other := range []string{"", "cpu 1 2 3\n", "intr 1 2 3 4 5 6\n", "cpu a b c d e\n"} {
		if got, ok := parseTimes([]byte(other)); ok {
			t.Errorf("%q is %+v", other, got)
		}
	}
}

// TestSpareOnceInAWindow: a machine that is idle enough has room for one more in each window,
// one that is less idle for none, and of one that does not tell nothing is assumed.
func TestSpareOnceInAWindow(t *testing.T) {
	for _, c := range []struct {
		idle int64 // of 100
		told bool
		want int
	}{{enough, true, 9}, {enough - 1, true, 0}, {100, false, 0}} {
		synctest.Test(t, func(t *testing.T) {
			var now times
			i := Idleness{read: func() (times, bool) {
				now.all, now.idle = now.all+100, now.idle+c.idle
				return now, c.told
			}}
			spare := 0
			for range 100 { // ten windows, of which the first is only the begin
				if i.Spare() {
					spare++
				}
				time.Sleep(Window / 10)
			}
			if spare != c.want {
				t.Errorf("%d idle: room %d times, not %d", c.idle, spare, c.want)
			}
		})
	}
}
