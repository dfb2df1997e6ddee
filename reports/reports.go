// Package reports turns what a run left on disk into pages, plots and words that a design review
// can read. Nothing in it judges: what a history means is the checker's to say, and a report shows
// it beside the record that it rests on.
//
// A record is foreign text. Lock names, error texts, Redis arguments and replies are escaped
// wherever they are shown, and what cannot be seen (control characters, marks that turn the
// direction of text) is spelled out; see clean.
package reports

import (
	"encoding/json"
	"errors"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/history"
)

// Run is everything that a report needs of one run; all of it comes from the files of the run
// directory. Only History is mandatory: what is missing is left out of the report, and the page
// says so.
type Run struct {
	History *history.History
	Trace   []history.Command                // trace.jsonl
	Nodes   map[string][]history.NodeCommand // nodes/NODE.jsonl, by NODE
	Verdict *checker.Verdict                 // verdict.json; nil: not judged
	Plan    json.RawMessage                  // plan.json, as it is
	// porcupine's own page of the failing slice; nil: what Verdict.Visual gives, if anything
	Slice []byte
}

// errNoHistory is returned for a Run that nothing can be said about.
var errNoHistory = errors.New("reports: a run without a history")
