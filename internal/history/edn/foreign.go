package edn

import "regexp"

// readable describes the formats of Read.
const readable = "lockbench reads its own history.jsonl, Jepsen's EDN and JSON, and with --lines " +
	"FILE lines of any other form (docs/formats.md, Histories of other tools)"

// formats are the known formats of other tools that Read does not support, by their first bytes.
var formats = []struct {
	begins *regexp.Regexp
	says   string
}{
	{regexp.MustCompile(`^JEPSEN`), "this is a test.jepsen file; use the history.edn in its folder"},
	{regexp.MustCompile(`^(\d+|:?nemesis)\s+:(invoke|ok|fail|info)\s`),
		"this is a history.txt of Jepsen's; use the history.edn in its folder, or --lines FILE " +
			"(docs/formats.md has the file for it)"},
	{regexp.MustCompile(`^(INFO|\d{4}-\d\d-\d\d).*jepsen\.util`),
		"this is a log of Jepsen's, as Porcupine's examples are; use the test's history.edn, or " +
			"--lines FILE (docs/formats.md has the file for it)"},
	{regexp.MustCompile(`^<\w+Log>|^\[?\s*{\s*"type"\s*:\s*"(CreateStateMachine|SendEvent|` +
		`DequeueEvent|Announce|MonitorProcessEvent|StateTransition)"`),
		"this is a trace of P's checker, which PObserve also reads; it has no calls with an answer. " +
			"Use the log of the service, with --lines FILE (docs/formats.md)"},
}

// foreign names the format of a text that Read does not support, and gives advice. It returns ""
// for an unknown format.
func foreign(start []byte) string {
	for _, f := range formats {
		if f.begins.Match(start[:min(len(start), 4096)]) {
			return f.says
		}
	}
	return ""
}
