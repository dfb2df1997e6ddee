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

// Exit codes of a process that answers.
const (
	exitLimit = 3 // the processor time was used up
	exitHangs = 4 // a single run did not end
)

// mostMemory is how much a run may keep: one that does not end fills its record.
const mostMemory = 1 << 30

// answering is a question on the way to its answer.
type answering struct {
	Question
	out  *json.Encoder
	runs int
	used func() time.Duration // processor time of this process
	// since when, in processor time, the run lasts that was announced last
	since chan time.Duration
}

// Answer reads a question, does its runs, and writes Lines. It ends the process when its processor
// time is used up, or a run does not end.
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

// announce says which run comes next.
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
	_ = a.out.Encode(l) // the reader is gone, and kills this process
}

// guardEvery is how often the guard looks, and stuck after how long a process that does not use the
// processor at all hangs: the simulator never waits for anything outside.
const (
	guardEvery = 100 * time.Millisecond
	stuck      = 90 * time.Second
)

// guard ends the process when a limit is reached.
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
