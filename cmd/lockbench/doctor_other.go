//go:build !unix

package main

// openFiles has nothing to say where there is no such limit.
func openFiles() finding {
	return finding{Name: "open files", For: "many clients", OK: true, Found: "no limit"}
}

// signals cannot be had.
func signals() finding {
	return finding{Name: "signals", For: "pausing and killing in the environment process",
		Found: "this system has none", Advice: "take --env sim"}
}
