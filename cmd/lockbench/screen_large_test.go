package main

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/lockbench/lockbench/internal/dev/testenv"
)

// TestTheAnswerFitsOnOneScreen counts the lines and columns of what run prints, and wants the same
// of check.
func TestTheAnswerFitsOnOneScreen(t *testing.T) {
	testenv.SkipRace(t)
	t.Parallel()
	dir := t.TempDir()
	for _, c := range []struct {
		args  string
		lines int
		says  []string
	}{
		{"--impl getset --nemesis failover", 22, []string{"Yes.\nThe new master never received client ",
			"Cause: ", "To do:  Use another lock", "choose --fault leader-loss", "How: ", "Also: "}},
		{"--impl setpx-del --nemesis pause", 22, []string{"Yes.\nClient ", "deleted the key of client ",
			"To do:  Delete the key only if it", `redis.call("get"`, "--impl token-lua --nemesis pause",
			"A holder that is stopped for longer", "L: released by a non-owner.",
			"'s lease ran out at 2.000 s while it was paused."}},
		{"--impl setnx-del-expired --nemesis crash:takeover", 22, []string{"How:    Client ",
			`"DEL lock:0" at `, "\n        lock by n0 at 2.0"}},
		{"--impl token-lua --nemesis pause", 22, []string{"was still inside when its lease ended",
			"A longer lease only makes this rarer.", "Violates S: lease overrun.", "UPDATE account",
			"--workload fenced --nemesis pause"}},
		{"--impl redisson --nemesis pause", 22, []string{"To do:  Have the resource refuse old"}},
		{"--impl setnx --nemesis crash", 22, []string{"It stays locked.", "Cause:  Client",
			"was killed", "SET key", "How: "}},
		{"--impl setpx-getdel-as-posted --nemesis none", 22, []string{"It is broken.", "To do: "}},
		{"--impl redlock --nemesis none", 12, []string{"Not in this run.\nNo two clients", "Judged: "}},
		{"--impl setnx-expire --nemesis crash", 12, []string{"Next: ", "--nemesis crash:expire"}},
		{"--impl token-lua --nemesis none --for 200ms", 12, []string{"Unknown.\n", "Next: ", "--for "}},
	} {
		said := printedBy(t, dir, strings.Fields("run --env sim --seed 4 "+c.args)...)
		lines := strings.Split(strings.TrimSuffix(said, "\n"), "\n")
		if len(lines) > c.lines {
			t.Errorf("%s: %d lines:\n%s", c.args, len(lines), said)
		}
		for _, l := range lines {
			if utf8.RuneCountInString(l) > 100 {
				t.Errorf("%s: more than 100 columns: %s", c.args, l)
			}
		}
		for _, w := range append(c.says, "Again:  lockbench run", "Report: ") {
			if !strings.Contains(said, w) {
				t.Errorf("%s does not say %q:\n%s", c.args, w, said)
			}
		}
		if again := printedBy(t, dir, "check", "store/latest"); head(again) != head(said) {
			t.Errorf("%s: check says\n%s\nnot\n%s", c.args, again, said)
		}
	}
}

func printedBy(t *testing.T, dir string, args ...string) string {
	t.Helper()
	code, out, say := runIn(t, dir, args...)
	if code >= exitUsage {
		t.Fatalf("%v ended with %d: %s", args, code, say)
	}
	return out
}

// head returns a summary without the path of the report.
func head(said string) string {
	said, _, _ = strings.Cut(said, "\nReport: ")
	return said
}
