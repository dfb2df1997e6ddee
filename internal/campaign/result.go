package campaign

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/history"
	"github.com/lockbench/lockbench/internal/harness"
)

// Format is the version of matrix.json and results.jsonl.
const Format = 1

// Result is what one run found: a line of results.jsonl.
type Result struct {
	Format  int    `json:"format"`
	Row     string `json:"row"`
	Column  string `json:"column"`
	Nemesis string `json:"nemesis"`
	Control bool   `json:"control,omitempty"`
	Attempt int    `json:"attempt"`
	Seed    uint64 `json:"seed"`
	Dir     string `json:"dir"` // the run directory, relative to the campaign's
	Finding
	// a stall of the machine was a fault of its own
	Disturbed bool             `json:"disturbed,omitempty"`
	Alone     bool             `json:"alone,omitempty"` // it was repeated with nothing beside it
	Took      history.Duration `json:"took"`
}

// Finding is what a campaign keeps of a verdict.
type Finding struct {
	Verdict checker.Result            `json:"verdict"`
	Letters map[string]checker.Result `json:"letters"`
	Classes map[string]string         `json:"classes,omitempty"` // of the letters that were violated
	Words   map[string]string         `json:"words,omitempty"`   // the counterexamples
	Because map[string]string         `json:"because,omitempty"` // why a letter is unknown or n.a.
	Broke   string                    `json:"broke,omitempty"`   // why there is no verdict
	Stalled bool                      `json:"stalled,omitempty"` // the machine did not keep up
}

// newResult takes from a verdict what the matrix needs.
func newResult(t Task, dir string, v *checker.Verdict, err error, took time.Duration) Result {
	return Result{
		Format: Format, Row: t.Row.Name, Column: t.Column, Nemesis: t.Aim.Nemesis, Control: t.Aim.Control,
		Attempt: t.Attempt, Seed: t.Seed,
		Dir: dir, Finding: newFinding(v, err), Took: history.Duration(took.Round(time.Millisecond)),
	}
}

// Disturbed reports whether the machine stopped for so long that clients may have given up on an
// answer that was under way, or did, or that the steps of a scenario, which are a tenth of a lease
// apart or more, may have fallen together: what happened then was done by that, and not by the
// fault that the run is about. Half of such a time is enough, since the stall is not all that goes
// into it; and a server or a proxy that stalled is seen only by the commands that it kept waiting.
func Disturbed(p harness.Plan, v *checker.Verdict) bool {
	bears := min(p.ClientTimeout.D(), p.TTL.D()/8)
	if p.NodeTimeout > 0 {
		bears = min(bears, p.NodeTimeout.D())
	}
	return v != nil && (v.Evidence.TimedOut > 0 ||
		2*time.Duration(v.Evidence.LongestGapMS)*time.Millisecond > bears)
}

// unfit reports whether the run says little about its cell: it gives way to a repetition, and is
// not counted.
func (r Result) unfit() bool { return r.Stalled || r.Disturbed || r.Broke != "" }

// newFinding reads a verdict; err says why there is none, or why it is worth less than planned.
func newFinding(v *checker.Verdict, err error) Finding {
	f := Finding{
		Verdict: checker.Unknown,
		Letters: map[string]checker.Result{}, Classes: map[string]string{}, Words: map[string]string{},
		Because: map[string]string{},
	}
	if err != nil {
		f.Broke = err.Error()
	}
	if v == nil {
		return f
	}
	if v.Verdict != "" {
		f.Verdict = v.Verdict
	}
	if f.Broke == "" {
		f.Broke = v.HarnessError
	}
	for _, p := range v.Properties {
		f.note(p)
	}
	f.Stalled = f.Stalled || v.Evidence.Gaps > 0 && f.Verdict == checker.Unknown
	return f
}

func (f *Finding) note(p checker.Property) {
	if p.Verdict == "" { // checker's zero value
		p.Verdict = checker.Unknown
	}
	f.Letters[p.Property] = p.Verdict
	if p.Verdict == checker.Violated {
		f.Classes[p.Property], f.Words[p.Property] = p.Class, p.Explanation
		return
	}
	if p.Reason != "" {
		f.Because[p.Property] = p.Reason
	}
	f.Stalled = f.Stalled || strings.Contains(p.Reason, "stalled")
}

// key names the task that the result is of.
func (r Result) key() string {
	return fmt.Sprintf("%s|%s|%s|%d", r.Row, r.Column, r.Nemesis, r.Attempt)
}

// Violated are the letters of the matrix that were found.
func (f Finding) Violated() []string {
	var out []string
	for l, v := range f.Letters {
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
			return out, fmt.Errorf("result %d has format %d; this lockbench reads format %d", len(out)+1,
				one.Format, Format)
		}
		out = append(out, one)
	}
}

// Again is the result with a verdict that was drawn anew from the same record of a plan. What broke
// the run then breaks it now.
func (r Result) Again(p harness.Plan, v *checker.Verdict) Result {
	var err error
	if r.Broke != "" {
		err = errors.New(r.Broke)
	}
	r.Finding, r.Disturbed = newFinding(v, err), Disturbed(p, v)
	return r
}
