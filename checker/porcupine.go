package checker

import (
	"bytes"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/anishathalye/porcupine"
)

// Sizes of what porcupine gets at once: pieces of about pieceOps operations are the fastest, and
// porcupine starts a goroutine for each piece of a batch, so that batches bound its memory.
const (
	pieceOps = 16
	batchOps = 8192
)

// ruling is porcupine's answer on some operations.
type ruling struct {
	result     porcupine.CheckResult
	operations int // of the history, before preparation
	slices     int
	failing    []op // the piece that is not linearizable
	took       time.Duration
}

// ruleMutex lets porcupine decide whether operations on one mutex are linearizable. Its memory and
// time grow with the number of operations, not with its square. timeout 0 is no limit.
func ruleMutex(ops []op, timeout time.Duration) ruling {
	start := time.Now()
	r := ruling{result: porcupine.Ok, operations: len(ops)}
	b := batch{}
	newSlicer(ops, pieceOps).pieces(func(p []op) bool {
		r.slices++
		b.add(p)
		if len(b.ops) >= batchOps {
			r.rule(&b, remaining(timeout, start))
		}
		return r.result == porcupine.Ok
	})
	if r.result == porcupine.Ok {
		r.rule(&b, remaining(timeout, start))
	}
	r.took = time.Since(start)
	return r
}

// remaining is what is left of a time limit, at least a moment, since porcupine takes 0 for no
// limit.
func remaining(timeout time.Duration, start time.Time) time.Duration {
	if timeout == 0 {
		return 0
	}
	return max(time.Millisecond, timeout-time.Since(start))
}

// rule has porcupine judge a batch and empties it.
func (r *ruling) rule(b *batch, timeout time.Duration) {
	if len(b.ops) == 0 {
		return
	}
	r.result = porcupine.CheckOperationsTimeout(b.model(), operations(b.ops), timeout)
	if r.result == porcupine.Illegal {
		r.failing = b.failing(timeout)
	}
	b.reset()
}

// batch is several pieces in a row. porcupine gets them through Model.Partition.
type batch struct {
	ops  []op
	ends []int // ops[:ends[0]] is the first piece, and so on
}

func (b *batch) add(piece []op) {
	b.ops = append(b.ops, piece...)
	b.ends = append(b.ends, len(b.ops))
}

func (b *batch) reset() { b.ops, b.ends = b.ops[:0], b.ends[:0] }

func (b *batch) model() porcupine.Model {
	m := mutexModel()
	m.Partition = func(all []porcupine.Operation) [][]porcupine.Operation {
		parts := make([][]porcupine.Operation, len(b.ends))
		from := 0
		for i, to := range b.ends {
			parts[i] = all[from:to]
			from = to
		}
		return parts
	}
	return m
}

// failing returns a copy of the first piece that is not linearizable by itself.
func (b *batch) failing(timeout time.Duration) []op {
	from := 0
	for _, to := range b.ends {
		if piece := b.ops[from:to]; porcupine.CheckOperationsTimeout(mutexModel(), operations(piece),
			timeout) == porcupine.Illegal {
			return slices.Clone(piece)
		}
		from = to
	}
	return nil
}

// drawMutex returns porcupine's picture of operations on a mutex. name says what a token is.
func drawMutex(ops []op, name func(token int32) string) ([]byte, error) {
	m := mutexModel()
	m.DescribeOperation = func(input, _ any) string {
		o := input.(*op)
		return kindNames[o.kind] + " " + name(o.token) + outcomeNames[o.outcome]
	}
	m.DescribeState = func(state any) string {
		if state.(int32) == free {
			return "free"
		}
		return "held by " + name(state.(int32))
	}
	_, info := porcupine.CheckOperationsVerbose(m, operations(ops), 10*time.Second)
	var page bytes.Buffer
	err := porcupine.Visualize(m, info, &page)
	return page.Bytes(), err
}

// porcupineVersion is the version that this program was built with.
var porcupineVersion = sync.OnceValue(func() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, d := range info.Deps {
		if strings.HasSuffix(d.Path, "anishathalye/porcupine") {
			return d.Version
		}
	}
	return ""
})

// wholeLimit is how many operations porcupine gets at once where a history cannot be cut; its
// memory grows with the square.
const wholeLimit = 60_000

// ruleWhole lets porcupine decide on operations without preparation.
func ruleWhole(m porcupine.Model, ops []porcupine.Operation, timeout time.Duration) ruling {
	start := time.Now()
	r := ruling{result: porcupine.Unknown, operations: len(ops)}
	if len(ops) <= wholeLimit {
		r.result = porcupine.CheckOperationsTimeout(m, ops, timeout)
	}
	r.took = time.Since(start)
	return r
}

// unfinished reports whether porcupine did not come to an end in time.
func (r *ruling) unfinished() bool { return r.result == porcupine.Unknown }

// illegal reports whether the operations are not those of the model.
func (r *ruling) illegal() bool { return r.result == porcupine.Illegal }

// rulings are the results of porcupine from the best to the worst; "" is none.
func rulings() []string {
	return []string{"", string(porcupine.Ok), string(porcupine.Unknown), string(porcupine.Illegal)}
}
