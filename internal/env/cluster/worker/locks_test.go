package worker

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/lockbench/lockbench/workloads"
)

// The locks of the tests, which need no Redis. They are linked before any init, so that a worker
// process of the test program has them, too.
var _ = func() bool {
	for name, open := range map[string]func(workloads.LinkedClient){
		"tidy": func(workloads.LinkedClient) {},
		"loud": func(c workloads.LinkedClient) {
			fmt.Fprintln(os.Stderr, "client", c.Process, "says")
		},
		"leaking":  func(workloads.LinkedClient) { go func() { select {} }() },
		"keeping":  func(c workloads.LinkedClient) { kept = c.Lost },
		"speaking": func(workloads.LinkedClient) {},
	} {
		workloads.Link(name, workloads.Linkage{Open: func(c workloads.LinkedClient) (
			workloads.LinkedLock, error) {
			open(c)
			return testLock{c.Env, name == "speaking"}, nil
		}})
	}
	return true
}()

// kept is a variable of a lock that outlives its clients: what "keeping" leaves there, "speaking"
// calls.
var kept func(n int, by string)

// testLock grants everything, with a token out of its client's random stream.
type testLock struct {
	env    *workloads.Env
	speaks bool // for an earlier client
}

func (l testLock) Acquire(context.Context, int, []string, time.Duration) (workloads.Said, error) {
	if l.speaks {
		kept(1, "an earlier client")
	}
	return workloads.Said{Token: l.env.Rand(1 << 40)}, nil
}

func (testLock) Release(context.Context, int) error { return nil }

func (testLock) Close() {}
