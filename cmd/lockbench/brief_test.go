package main

import "testing"

// TestBriefIsSafe: what a program wrote is no command to a terminal or a CI job.
func TestBriefIsSafe(t *testing.T) {
	for in, want := range map[string]string{
		"one\ntwo":                    "one\ntwo",
		"bad: x\n::error title=y::z":  "bad: x\n| ::error title=y::z",
		"bad: x\n  ##[add-mask]a":     "bad: x\n  | ##[add-mask]a",
		"clear \x1b[2J and \x07 ring": `clear \x1b[2J and \x07 ring`,
	} {
		if got := brief(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}
