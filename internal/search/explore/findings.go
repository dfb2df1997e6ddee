package explore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/lockbench/lockbench/internal/base/pool"
	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/internal/run/batch"
	"github.com/lockbench/lockbench/internal/search/explore/counterexample"
	"github.com/lockbench/lockbench/internal/search/explore/simrun"
	"github.com/lockbench/lockbench/workloads"
)

// Findings is the result of a search.
type Findings struct {
	Format   int      `json:"format"` // batch.Format
	Impl     string   `json:"impl"`
	Nemesis  string   `json:"nemesis"`
	Progress Progress `json:"progress"`
	Rate     float64  `json:"runs_per_second"`
	Stopped  bool     `json:"stopped,omitempty"` // stopped before the budget was used up
	// If nothing was found, the probability of a violation in a run of this search is below this with
	// 95 % confidence.
	Rarer   float64   `json:"rarer_than,omitempty"`
	Doubt   string    `json:"doubt,omitempty"` // why a search that found nothing shows too little
	Found   []Finding `json:"found"`
	Covered *Covered  `json:"covered,omitempty"` // set by an exhaustive search
	// the settings of the search by flag of explore; all shards of one search have the same
	Asked   map[string]string `json:"asked,omitempty"`
	Version string            `json:"version,omitempty"` // of lockbench
	Shard   batch.Shard       `json:"shard,omitzero"`
	Missing []string          `json:"missing_shards,omitempty"` // of a merged search
	// a format for the command that replays the counterexample in file %s; if empty, `lockbench replay
	// %s`
	Again string `json:"-"`
	// Text shows the steps of the first counterexample, and names the faults that were left out.
	Verbose bool `json:"-"`
	Width   int  `json:"-"` // columns of the text; 0 means 100
}

// Finding is a counterexample that was stored.
type Finding struct {
	File        string `json:"file"`
	Seed        uint64 `json:"seed"`
	Run         int    `json:"run,omitempty"` // the run of the search that found it, from 1
	Property    string `json:"property"`
	Class       string `json:"class,omitempty"`
	Outside     string `json:"outside,omitempty"` // why no lock of its kind can prevent it
	Explanation string `json:"explanation"`
	Steps       int    `json:"steps"`
	ShrinkRuns  int    `json:"shrink_runs"`
	// the budget for shrinking was used up, so it may become smaller
	Unfinished bool `json:"unfinished,omitempty"`
	// the steps differ from start to start of the lock's program, and the violation does not
	Varies bool `json:"varies,omitempty"`
	// how likely it was after each step; null if it was not measured
	Curve *counterexample.Curve `json:"curve"`

	// of an adapter that ran in virtual time: whether a real server shows it, too
	Real *Real `json:"real,omitempty"`

	counterexample *counterexample.Counterexample
}

// Real is how a finding fared on a real server, with the adapter's program as it is.
type Real struct {
	Confirmed bool   `json:"confirmed"`
	Ordered   bool   `json:"ordered,omitempty"` // with the messages in the recorded order
	Runs      int    `json:"runs"`              // that were tried
	Dir       string `json:"dir,omitempty"`     // of the run that confirms it
	Why       string `json:"why,omitempty"`     // it was not confirmed
}

// String returns a line for people.
func (r *Real) String() string {
	report := ""
	if r.Dir != "" {
		report = ", " + filepath.Join(r.Dir, "report.html")
	}
	switch {
	case r.Ordered:
		return "confirmed on a real Redis, with the messages in the recorded order" + report
	case r.Confirmed:
		return fmt.Sprintf("confirmed on a real Redis at try %d", r.Runs) + report
	case r.Runs == 0:
		return "seen in virtual time, and not tried on a real Redis: " + r.Why
	}
	return fmt.Sprintf("seen in virtual time, and not in %s on a real Redis: %s",
		units.Count(r.Runs, "run"), r.Why)
}

// Counterexample returns the run that was found. The finding must be of this machine.
func (f Finding) Counterexample() *counterexample.Counterexample { return f.counterexample }

// Sure reports whether a finding is certain: a real server shows it, or it is of our own lock.
func (f Findings) Sure() bool {
	return slices.ContainsFunc(f.Found, func(x Finding) bool {
		return x.Real == nil || x.Real.Confirmed
	})
}

// Keeper shrinks hits and stores them as counterexamples.
type Keeper struct {
	Store string // parent of the directory "counterexamples"
	Out   string // file of the first counterexample; if empty, it goes to Store
	AsIs  bool   // do not shrink
	// Plain omits the curves.
	Plain bool
	// Budget is the time for all hits together. If zero, only the amount of work is limited.
	Budget time.Duration
	Jobs   int // parallel runs when measuring a curve; 0 means 1
	// a terminal for progress reports, or nil
	Screen io.Writer
	// Unrepeated counts hits of programs that differed between fresh starts, and were not stored.
	Unrepeated int
}

// SaveError is returned if a counterexample cannot be written.
type SaveError struct{ Err error }

func (e SaveError) Error() string { return e.Err.Error() }
func (e SaveError) Unwrap() error { return e.Err }

// Keep stores the first hit of each property and class. It returns a SaveError if it cannot write a
// file, and another error if a hit cannot be repeated.
func (k *Keeper) Keep(ctx context.Context, hits []Hit) (all []Finding, err error) {
	kinds, end := firstOfKind(hits), time.Now().Add(k.Budget)
	for i, h := range kinds {
		share := time.Duration(0) // no limit
		if k.Budget > 0 {
			share = max(3, time.Until(end)/time.Duration(len(kinds)-i))
		}
		x, shrunk, err := k.shrink(ctx, share*2/3, h)
		if workloads.IsProgram(h.Case.Plan.Impl) && errors.Is(err, simrun.ErrFlaky) {
			k.Unrepeated++
			continue
		}
		if err != nil {
			return all, fmt.Errorf("seed %d: %w", h.Seed, err)
		}
		if !k.Plain && !x.Varies { // a curve goes on from steps that are the same
			x.Curve = k.curve(ctx, share/3, x)
		}
		file, err := k.save(x, len(all) == 0)
		if err != nil {
			return all, SaveError{fmt.Errorf("seed %d violates %s, but nothing is saved: %w", h.Seed,
				h.Property, err)}
		}
		all = append(all, Finding{File: file, Seed: h.Seed, Run: h.Run, Property: h.Property,
			Class: x.Verdict.Class, Outside: x.Verdict.Outside(), Explanation: x.Verdict.Explanation,
			Steps: len(x.Steps), ShrinkRuns: shrunk.Runs, Unfinished: shrunk.Unfinished,
			Varies: x.Varies, Curve: x.Curve, counterexample: x})
	}
	return all, nil
}

// firstOfKind returns the first hit of each property and class.
func firstOfKind(hits []Hit) (kinds []Hit) {
	for _, h := range hits {
		if !slices.ContainsFunc(kinds, h.sameKind) {
			kinds = append(kinds, h)
		}
	}
	return kinds
}

// shrink shrinks a hit within a limit of time, unless the hit is to stay as it is.
func (k Keeper) shrink(ctx context.Context, limit time.Duration, h Hit) (
	*counterexample.Counterexample, Shrunk, error) {
	if k.AsIs {
		x, err := h.Case.Settle(context.WithoutCancel(ctx), h.Property)
		return x, Shrunk{}, err
	}
	ctx, cancel := pool.Limit(ctx, limit)
	defer cancel()
	return h.Shrink(ctx, k.Screen)
}

// curve measures a curve within a limit of time. It returns nil if the time runs out.
func (k Keeper) curve(ctx context.Context, limit time.Duration,
	x *counterexample.Counterexample) *counterexample.Curve {
	ctx, cancel := pool.Limit(ctx, limit)
	defer cancel()
	if ctx.Err() != nil {
		return nil
	}
	return curve(ctx, x, k.Jobs, k.Screen)
}

// save writes a counterexample to a file whose name describes it.
func (k Keeper) save(x *counterexample.Counterexample, first bool) (string, error) {
	file := k.Out
	if file == "" || !first {
		dir := filepath.Join(k.Store, "counterexamples")
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return "", fmt.Errorf("cannot write to the store %q: %w; name another with --store", k.Store,
				err)
		}
		name := strings.TrimSuffix(strings.Join([]string{x.Plan.Impl, x.Plan.Nemesis,
			x.Verdict.Property, x.Verdict.Class}, "-"), "-")
		file = filepath.Join(dir, strings.NewReplacer(":", "-", " ", "-", "/", "-").Replace(name)+".yaml")
	}
	var text bytes.Buffer
	if err := x.Write(&text); err != nil {
		return "", err
	}
	return file, os.WriteFile(file, text.Bytes(), 0o644)
}
