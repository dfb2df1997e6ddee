package workloads

import (
	"fmt"
	"strings"

	"github.com/lockbench/lockbench/internal/history"
)

// Resource is what the locks guard: one number for each key. It lives in the harness, outside
// everything that is under test: it is never faulty and answers each Ask in one step. The zero
// value is ready. It is not safe for concurrent use.
type Resource struct {
	cells map[int]cell
}

type cell struct {
	value int64
	token int64 // the newest that a write carried
}

// Answer carries out a read or a write and returns the order that tells the worker. A write whose
// token is older than one seen before is refused; writes without a token (0) are taken as long as
// none ever came with one.
func (r *Resource) Answer(a Ask) Order {
	if r.cells == nil {
		r.cells = map[int]cell{}
	}
	c := r.cells[a.Key]
	o := Order{Do: DoAnswer, N: a.N, Key: a.Key}
	switch {
	case a.F != history.WriteOp:
	case a.Token < c.token:
		o.Err = fmt.Sprintf("refused: token %d is older than %d", a.Token, c.token)
	default:
		c = cell{value: a.Value, token: a.Token}
		r.cells[a.Key] = c
	}
	o.Value = c.value
	return o
}

func list(names []string) string { return strings.Join(names, ", ") }
