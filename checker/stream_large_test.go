package checker

import (
	"testing"

	"github.com/lockbench/lockbench/checker/linear/lineartest"
	"github.com/lockbench/lockbench/internal/dev/testenv"
	"github.com/lockbench/lockbench/internal/history"
)

// TestStream judges runs of all sorts event by event, and compares with the verdict on the whole.
func TestStream(t *testing.T) {
	for kind, set := range environmentKinds {
		t.Run(kind, func(t *testing.T) {
			found := map[Result]int{}
			n := lineartest.Rounds(testenv.Large(600, 60), 100_000)
			for seed := range n {
				w := newEnvironment(uint64(seed), 2+seed%4, 4+seed%12)
				set(w)
				h := w.run()
				v := Check(h, nil, Options{Model: "mutex"})
				counts(t, h, streams(t, h, v), v)
				found[v.Verdict]++
			}
			t.Logf("%d histories: %v", n, found)
		})
	}
}

// streams compares a stream's verdict with that on the whole history as that of a mutex.
func streams(t *testing.T, h *history.History, whole *Verdict) *Verdict {
	t.Helper()
	h = inOrder(h)
	s := NewStream(h.Header, Options{Model: "mutex"})
	for i := range h.Events {
		if !s.Add(&h.Events[i]) {
			break
		}
	}
	v := s.Verdict(false)
	got, want := v.Properties[0], whole.Properties[0]
	if got.Verdict != want.Verdict || v.Exit != whole.Exit {
		t.Fatalf("as a stream %s (exit %d, %s%s), as a whole %s (exit %d, %s%s)\n%+v", got.Verdict,
			v.Exit, got.Explanation, got.Reason, want.Verdict, whole.Exit, want.Explanation, want.Reason,
			h.Events)
	}
	return v
}

// counts compares what was counted: a stream counts no more than there is.
func counts(t *testing.T, h *history.History, stream, whole *Verdict) {
	t.Helper()
	a, b := stream.Evidence, whole.Evidence
	if stream.Verdict == Valid && (a.Acquisitions != b.Acquisitions || a.Contended > b.Contended ||
		a.Handovers != b.Handovers) {
		t.Fatalf("evidence of a stream %+v, of the whole %+v\n%+v", a, b, h.Events)
	}
}
