package view

import (
	"github.com/lockbench/lockbench/nemesis"
	"github.com/lockbench/lockbench/reports/page"
)

// Question is what the run was made to answer.
func (v *View) Question() string {
	h := v.History.Header
	lock := "this lock"
	if h.Impl != "" {
		lock = "the lock " + page.Clean(h.Impl, 60)
	}
	return "Can two clients hold " + lock + " at once" + circumstances(h.Nemesis) + "?"
}

func circumstances(fault string) string {
	if when := nemesis.When(fault); when != "" {
		return " " + when
	}
	if fault == "" {
		return ""
	}
	return " under the fault " + page.Clean(fault, 60)
}
