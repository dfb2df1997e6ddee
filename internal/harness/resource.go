package harness

import (
	"github.com/lockbench/lockbench/history"
	"github.com/lockbench/lockbench/workloads"
)

// resource is what the lock guards: one number for each key. It is never faulty.
type resource struct {
	value map[int]int64
}

// answer carries out a read or a write.
func (s *resource) answer(a workloads.Ask) workloads.Order {
	if s.value == nil {
		s.value = map[int]int64{}
	}
	if a.F == history.WriteOp {
		s.value[a.Key] = a.Value
	}
	return workloads.Order{Do: workloads.DoAnswer, N: a.N, Key: a.Key, Value: s.value[a.Key]}
}
