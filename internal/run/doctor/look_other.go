//go:build !unix

package doctor

// openFiles has nothing to say where there is no such limit.
func openFiles() Finding {
	return Finding{Name: "open files", For: "many clients", OK: true, Found: "no limit"}
}

// signals cannot be had.
func signals() Finding {
	return Finding{Name: "signals", For: "pausing and killing in the environment process",
		Found: "this system has none", Advice: "take --env sim"}
}
