package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/campaign"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/store"
	"golang.org/x/term"
)

// processEnvironment carries out a campaign's runs, each in an environment of real processes of its
// own.
type processEnvironment struct {
	root string // the campaign's directory

	mu       sync.Mutex
	versions map[string]string
}

// run is campaign.Runner.
func (w *processEnvironment) run(ctx context.Context, p harness.Plan,
	name string) (*checker.Verdict,
	error) {
	dir := filepath.Join(w.root, name)
	if err := os.RemoveAll(dir); err != nil { // what an interrupted campaign left
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	if err := store.Write(dir, store.Plan, func(f *os.File) error { return p.Write(f) }); err != nil {
		return nil, err
	}
	// The monitor of a campaign has no terminal to write to.
	r, runErr, err := execution{
		plan: p, dir: dir, line: "lockbench run --plan " + filepath.Join(dir, store.Plan),
		started: time.Now(), show: newProgress(io.Discard),
	}.carryOut(ctx)
	if err != nil {
		return nil, err
	}
	w.note(r.History.Header.Versions)
	return r.Verdict, runErr
}

func (w *processEnvironment) note(versions map[string]string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.versions = maps.Clone(versions)
}

func (w *processEnvironment) found() map[string]string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.versions
}

// bar is the progress of a campaign on a terminal. Elsewhere it is silent.
type bar struct {
	w     io.Writer
	begin time.Time
}

func newBar(w io.Writer) *bar {
	if f, ok := w.(*os.File); !ok || !term.IsTerminal(int(f.Fd())) {
		w = nil
	}
	return &bar{w: w, begin: time.Now()}
}

// tell is campaign.Progress.
func (b *bar) tell(done, all int, r campaign.Result) {
	b.step(done, all, r.Row+" under "+r.Nemesis)
}

// step says how much is done, how long the rest will take, and what was done last.
func (b *bar) step(done, all int, what string) {
	if b.w == nil {
		return
	}
	left := time.Duration(float64(time.Since(b.begin)) / float64(done) * float64(all-done)).Round(
		time.Second)
	const width = 30
	full := width * done / all
	fmt.Fprintf(b.w, "\r\033[K[%s%s] %d of %d, %v left; %s", stars[:full], blanks[:width-full], done,
		all, left, what)
}

const (
	stars  = "##############################"
	blanks = "                              "
)

func (b *bar) stop() {
	if b.w != nil {
		fmt.Fprint(b.w, "\r\033[K")
	}
}
