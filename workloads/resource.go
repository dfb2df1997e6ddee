package workloads

import (
	"fmt"
	"strings"

	"github.com/lockbench/lockbench/internal/history"
)

// Resource is the resource that the locks guard: one number for each key. It lives in the harness,
// outside everything that is under test. It is never faulty and answers each Ask in one step. The
// zero value is ready. It is not safe for concurrent use.
type Resource struct {
	cells map[int]cell
}

type cell struct {
	value int64
	token int64 // the newest token that came with a read or a write
}

// Answer carries out a read or a write, and returns the order with the answer for the worker. It
// refuses a write with a token that is older than one before. The token of a read counts, too: a
// late write between the read and the write of a newer holder would be lost. Answer accepts writes
// without a token (0) as long as nothing had one.
func (r *Resource) Answer(a Ask) Order {
	if r.cells == nil {
		r.cells = map[int]cell{}
	}
	c := r.cells[a.Key]
	o := Order{Do: DoAnswer, N: a.N, Key: a.Key}
	switch {
	case a.F != history.WriteOp:
		c.token = max(c.token, a.Token)
	case a.Token < c.token:
		o.Err = fmt.Sprintf("refused: token %d is older than %d", a.Token, c.token)
	default:
		c = cell{value: a.Value, token: a.Token}
	}
	r.cells[a.Key] = c
	o.Value = c.value
	return o
}

func list(names []string) string { return strings.Join(names, ", ") }
