package explore

import (
	"sync"
	"time"
)

// Progress is how far a search has come.
type Progress struct {
	Runs int `json:"runs"`
	// distinct: what nodes executed and replied, in order
	States        int           `json:"states"`
	Hits          int           `json:"hits"`           // runs with a violation
	HarnessErrors int           `json:"harness_errors"` // runs that are worth nothing
	Took          time.Duration `json:"took"`
}

// Rate is how many runs were made in a second.
func (p Progress) Rate() float64 { return float64(p.Runs) / max(p.Took.Seconds(), 1e-9) }

// showEvery shows the progress a few times a second until it is stopped.
func showEvery(show func(Progress), progress func() Progress) (stop func()) {
	if show == nil {
		return func() {}
	}
	t, end := time.NewTicker(200*time.Millisecond), make(chan struct{})
	var done sync.WaitGroup
	done.Go(func() {
		for {
			select {
			case <-t.C:
				show(progress())
			case <-end:
				return
			}
		}
	})
	return func() {
		t.Stop()
		close(end)
		done.Wait()
	}
}
