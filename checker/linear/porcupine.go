package linear

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

// Ruling is porcupine's answer on some operations.
type Ruling struct {
	Result     porcupine.CheckResult // "" if it was not asked
	Operations int                   // of the history that it was asked about, before preparation
	Slices     int
	Failing    []Op // the piece that is not linearizable
	Took       time.Duration
}

// Mutex lets porcupine decide whether operations on one mutex are linearizable. Its memory and time
// grow with the number of operations, not with its square. If timeout is zero, it has no limit.
func Mutex(ops []Op, timeout time.Duration) Ruling {
	start := time.Now()
	r := Ruling{Result: porcupine.Ok, Operations: len(ops)}
	b := batch{}
	NewSlicer(ops, pieceOps).Pieces(func(p []Op) bool {
		r.Slices++
		b.add(p)
		if len(b.ops) >= batchOps {
			r.rule(&b, remaining(timeout, start))
		}
		return r.Result == porcupine.Ok
	})
	if r.Result == porcupine.Ok {
		r.rule(&b, remaining(timeout, start))
	}
	r.Took = time.Since(start)
	return r
}

// remaining returns the rest of a time limit, at least a moment, since porcupine reads 0 as no
// limit.
func remaining(timeout time.Duration, start time.Time) time.Duration {
	if timeout == 0 {
		return 0
	}
	return max(time.Millisecond, timeout-time.Since(start))
}

// rule makes porcupine judge a batch and empties it.
func (r *Ruling) rule(b *batch, timeout time.Duration) {
	if len(b.ops) == 0 {
		return
	}
	r.Result = porcupine.CheckOperationsTimeout(b.model(), Operations(b.ops), timeout)
	if r.Result == porcupine.Illegal {
		r.Failing = b.failing(timeout)
	}
	b.reset()
}

// batch is several pieces in a row. porcupine gets them through Model.Partition.
type batch struct {
	ops  []Op
	ends []int // ops[:ends[0]] is the first piece, and so on
}

func (b *batch) add(piece []Op) {
	b.ops = append(b.ops, piece...)
	b.ends = append(b.ends, len(b.ops))
}

func (b *batch) reset() { b.ops, b.ends = b.ops[:0], b.ends[:0] }

func (b *batch) model() porcupine.Model {
	m := MutexModel()
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
func (b *batch) failing(timeout time.Duration) []Op {
	from := 0
	for _, to := range b.ends {
		if piece := b.ops[from:to]; porcupine.CheckOperationsTimeout(MutexModel(), Operations(piece),
			timeout) == porcupine.Illegal {
			return slices.Clone(piece)
		}
		from = to
	}
	return nil
}

// Draw returns porcupine's picture of operations on a mutex. name describes a token.
func Draw(ops []Op, name func(token int32) string) ([]byte, error) {
	m := MutexModel()
	m.DescribeOperation = func(input, _ any) string {
		o := input.(*Op)
		return kindNames[o.Kind] + " " + name(o.Token) + outcomeNames[o.Outcome]
	}
	m.DescribeState = func(state any) string {
		if state.(int32) == Free {
			return "free"
		}
		return "held by " + name(state.(int32))
	}
	_, info := porcupine.CheckOperationsVerbose(m, Operations(ops), 10*time.Second)
	var page bytes.Buffer
	err := porcupine.Visualize(m, info, &page)
	return page.Bytes(), err
}

// PorcupineVersion is the version that this program was built with.
var PorcupineVersion = sync.OnceValue(func() string {
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

// ruleWhole lets porcupine decide on operations without preparation. It is not asked about more
// than wholeLimit.
func ruleWhole(m porcupine.Model, ops []porcupine.Operation, timeout time.Duration) Ruling {
	if len(ops) > wholeLimit {
		return Ruling{}
	}
	start := time.Now()
	r := Ruling{Result: porcupine.CheckOperationsTimeout(m, ops, timeout), Operations: len(ops)}
	r.Took = time.Since(start)
	return r
}

// Unasked reports whether porcupine was not asked, because it cannot decide on so many operations
// at once.
func (r *Ruling) Unasked() bool { return r.Result == "" }

// Unfinished reports whether porcupine did not come to an end in time.
func (r *Ruling) Unfinished() bool { return r.Result == porcupine.Unknown }

// Illegal reports whether the model cannot have produced the operations.
func (r *Ruling) Illegal() bool { return r.Result == porcupine.Illegal }

// Results returns the results of porcupine from the best to the worst; "" means none.
func Results() []string {
	return []string{"", string(porcupine.Ok), string(porcupine.Unknown), string(porcupine.Illegal)}
}
