package campaign

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/history"
)

// Format is the version of matrix.json and results.jsonl.
const Format = 1

// Result is what one run found: a line of results.jsonl.
type Result struct {
	Format  int                       `json:"format"`
	Row     string                    `json:"row"`
	Column  string                    `json:"column"`
	Nemesis string                    `json:"nemesis"`
	Control bool                      `json:"control,omitempty"`
	Attempt int                       `json:"attempt"`
	Seed    uint64                    `json:"seed"`
	Dir     string                    `json:"dir"` // the run directory, relative to the campaign's
	Verdict checker.Result            `json:"verdict"`
	Letters map[string]checker.Result `json:"letters"`
	Classes map[string]string         `json:"classes,omitempty"` // of the letters that were violated
	Words   map[string]string         `json:"words,omitempty"`   // the counterexamples
	Because map[string]string         `json:"because,omitempty"` // why a letter is unknown or n.a.
	Broke   string                    `json:"broke,omitempty"`   // why there is no verdict
	Stalled bool                      `json:"stalled,omitempty"` // the machine did not keep up
	Alone   bool                      `json:"alone,omitempty"`   // it was repeated with nothing beside it
	Took    history.Duration          `json:"took"`
}

// newResult takes from a verdict what the matrix needs.
func newResult(t Task, dir string, v *checker.Verdict, err error, took time.Duration) Result {
	r := Result{
		Format: Format, Row: t.Row.Name, Column: t.Column, Nemesis: t.Aim.Nemesis, Control: t.Aim.Control, Attempt: t.Attempt, Seed: t.Seed,
		Dir: dir, Verdict: checker.Unknown, Took: history.Duration(took.Round(time.Millisecond)),
		Letters: map[string]checker.Result{}, Classes: map[string]string{}, Words: map[string]string{}, Because: map[string]string{},
	}
	if err != nil {
		r.Broke = err.Error()
	}
	if v == nil {
		return r
	}
	if v.Verdict != "" {
		r.Verdict = v.Verdict
	}
	if r.Broke == "" {
		r.Broke = v.Broke
	}
	for _, p := range v.Properties {
		r.note(p)
	}
	r.Stalled = r.Stalled || v.Evidence.Gaps > 0 && r.Verdict == checker.Unknown
	return r
}

func (r *Result) note(p checker.Property) {
	if p.Verdict == "" { // checker's zero value
		p.Verdict = checker.Unknown
	}
	r.Letters[p.Property] = p.Verdict
	if p.Verdict == checker.Violated {
		r.Classes[p.Property], r.Words[p.Property] = p.Class, p.Words
		return
	}
	if p.Because != "" {
		r.Because[p.Property] = p.Because
	}
	r.Stalled = r.Stalled || strings.Contains(p.Because, "stalled")
}

// key names the task that the result is of.
func (r Result) key() string {
	return fmt.Sprintf("%s|%s|%s|%d", r.Row, r.Column, r.Nemesis, r.Attempt)
}

// Violated are the letters that the run found.
func (r Result) Violated() []string {
	var out []string
	for l, v := range r.Letters {
		if v == checker.Violated {
			out = append(out, l)
		}
	}
	return inOrder(out)
}

// ReadResults reads results.jsonl. A last line that was cut off by an interruption is left away.
func ReadResults(r io.Reader) (out []Result, err error) {
	dec := json.NewDecoder(r)
	for {
		var one Result
		if err := dec.Decode(&one); err == io.EOF || err == io.ErrUnexpectedEOF {
			return out, nil
		} else if err != nil {
			return out, fmt.Errorf("result %d: %w", len(out)+1, err)
		}
		if one.Format != Format {
			return out, fmt.Errorf("result %d has format %d; this lockbench reads format %d", len(out)+1, one.Format, Format)
		}
		out = append(out, one)
	}
}
