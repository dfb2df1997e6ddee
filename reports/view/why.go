package view

import "github.com/lockbench/lockbench/checker"

// Why returns the cause of the violation by its class, or "" if it has none.
func (w *Violation) Why() string { return checker.FindClass(w.Class).Cause }
