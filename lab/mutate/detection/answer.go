package detection

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"time"
)

// Exit codes of a process that answers a Question.
const (
	exitLimit = 3 // the CPU time was used up
	exitHangs = 4 // a single run did not end
)

// mostMemory is the memory limit of a run. The record of an endless run would fill the memory.
const mostMemory = 1 << 30

// answering is the state of answering a question.
type answering struct {
	Question
	out  *json.Encoder
	runs int
	used func() time.Duration // CPU time of this process
	// the CPU time at which the latest announced run started
	since chan time.Duration
}

// Answer reads a question, makes its runs, and writes Lines. It ends the process when the CPU time
// is used up or a run does not end.
func Answer(ctx context.Context, in io.Reader, out io.Writer) error {
	a := &answering{out: json.NewEncoder(out), used: ProcessorTime, since: make(chan time.Duration, 1)}
	dec := json.NewDecoder(in)
	dec.DisallowUnknownFields()
	if err := dec.Decode(&a.Question); err != nil {
		return fmt.Errorf("the question: %w", err)
	}
	go a.guard()
	if a.Aimed > 0 {
		if err := a.aimed(ctx); err != nil {
			return err
		}
	}
	if a.Drawn > 0 {
		if err := a.drawn(ctx); err != nil {
			return err
		}
	}
	a.say(Line{Done: true})
	return nil
}

// announce reports the next run.
func (a *answering) announce(l Line) {
	select {
	case <-a.since:
	default:
	}
	a.since <- a.used()
	a.say(l)
	a.runs++
}

func (a *answering) say(l Line) {
	l.Runs = a.runs
	_ = a.out.Encode(l) // if the reader is gone, it kills this process
}

// guardEvery is the interval of the guard's checks. A process that does not use the CPU at all for
// the time stuck hangs, since the simulator never waits for anything outside.
const (
	guardEvery = 100 * time.Millisecond
	stuck      = 90 * time.Second
)

// guard ends the process when it reaches a limit.
func (a *answering) guard() {
	began := time.Duration(0)
	moved, at := time.Duration(0), time.Now()
	for {
		time.Sleep(guardEvery)
		select {
		case began = <-a.since:
		default:
		}
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		if used := a.used(); used > moved+time.Second/2 {
			moved, at = used, time.Now()
		}
		switch used := a.used(); {
		case time.Since(at) > stuck:
			os.Exit(exitHangs)
		case used > time.Duration(a.Limit)*time.Second:
			os.Exit(exitLimit)
		case used-began > time.Duration(a.RunLimit)*time.Second || m.HeapAlloc > mostMemory:
			os.Exit(exitHangs)
		}
	}
}
