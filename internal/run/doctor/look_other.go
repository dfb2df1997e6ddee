//go:build !unix

package doctor

// openFiles reports no limit, because this system has none.
func openFiles() Finding {
	return Finding{Name: "open files", For: "many clients", OK: true, Found: "no limit"}
}

// signals returns a failed finding, because this system has no such signals.
func signals() Finding {
	return Finding{Name: "signals", For: "pausing and killing in the environment process",
		Found: "this system has none", Advice: "take --env sim"}
}
