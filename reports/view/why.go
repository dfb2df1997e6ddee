package view

import "github.com/lockbench/lockbench/checker"

// Why is the cause of the violation by its class; "" where it has none.
func (w *Violation) Why() string { return checker.FindClass(w.Class).Cause }
