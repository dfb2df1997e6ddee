package adapters

import (
	"fmt"
	"runtime"
)

// Way is a way in which the simulator runs the lock of an adapter.
type Way int

// The ways of the simulator.
const (
	Linked  Way = iota + 1 // a library in Go is built into lockbench
	Stepped                // a program in another language runs in virtual time
)

// Simulated returns how the simulator runs a variant of an adapter. If it cannot, Simulated returns
// an error of one line that says what to do instead.
func (a Adapter) Simulated(variant string) (Way, error) {
	u, err := a.Use(variant)
	if err != nil {
		return 0, err
	}
	why := ""
	switch {
	case a.System != systems[0]:
		why = fmt.Sprintf("it has Redis, and no %s", a.System)
	case a.Unsimulated != "":
		why = a.Unsimulated
	case u.Declares.Shared:
		why = fmt.Sprintf("shared holds are not simulated, and the variant %s has them", u.Variant)
	case runtime.GOOS != "linux":
		why = "this is not Linux"
	case a.Language != "go":
		return Stepped, nil
	default:
		_, err := a.module()
		if err == nil {
			return Linked, nil
		}
		why = err.Error()
	}
	return 0, fmt.Errorf("the simulator cannot run the adapter %s: %s; use run or matrix with "+
		"--adapter, which aim the same faults on real servers", a.Name, why)
}
