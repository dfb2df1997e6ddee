package gate

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/internal/run/batch"
	"github.com/lockbench/lockbench/internal/run/runner"
)

// Done is a finished run in the record of a gate, so that another process can go on after an
// interruption.
type Done struct {
	Format int      `json:"format"`
	Entry  string   `json:"entry"`
	Run    Run      `json:"run"`
	Heard  bool     `json:"heard,omitempty"` // Says counts
	Says   []string `json:"says,omitempty"`
}

// Record returns the name of the record in the directory of a gate. Only the same file with the
// same locks, machine and version of lockbench has the same name.
func (m *Machine) Record() string {
	of := fmt.Sprintln(m.gate.Digest, m.locks, runner.Machine(m.gate.Environment), runner.Version())
	return fmt.Sprintf("runs-%.8x.jsonl", sha256.Sum256([]byte(of)))
}

// Unfinished returns the last of the directories that has the record, or "". Their names tell their
// order.
func Unfinished(dirs []string, record string) string {
	last := ""
	for _, dir := range dirs {
		if _, err := os.Stat(filepath.Join(dir, record)); err == nil {
			last = max(last, dir)
		}
	}
	return last
}

// recall takes the runs of an earlier process from the record. It returns the jobs that are left. A
// search is made anew: its first run may not be its last one.
func (r *execution) recall(todo []job) (left []job) {
	if r.Record == nil {
		return todo
	}
	for _, j := range todo {
		i := slices.IndexFunc(r.Record.Known, func(d Done) bool {
			return !j.entry.search() && d.Entry == j.entry.Name && d.Run.Seed == j.seed &&
				cmp.Or(d.Run.Repeat, 1) == j.repeat
		})
		if i < 0 {
			left = append(left, j)
			continue
		}
		d := r.Record.Known[i]
		d.Run.Entry, d.Run.heard, d.Run.says = d.Entry, d.Heard, d.Says
		r.add(d.Run)
		r.done++
	}
	return left
}

// note appends a run to the record. It skips a run that the next process makes again: one that
// broke, was refused or disturbed, and a repetition. After an error it writes no more, since a line
// that is cut off must be the last one. The runs that follow are made again after an interruption.
func (r *execution) note(run Run) {
	again := run.HarnessError != "" || run.Refused || run.Disturbed
	if r.Record == nil || r.unwritten != nil || again || run.Again || run.Extra {
		return
	}
	r.unwritten = batch.WriteLine(r.Record, Done{batch.Format, run.Entry, run, run.heard, run.says})
}

// dir returns the directory of a run relative to the gate's directory.
func (r *execution) dir(t job, again bool) string {
	i := slices.IndexFunc(r.gate.Entries, func(e Entry) bool { return e.Name == t.entry.Name })
	name := fmt.Sprintf("seed-%d", t.seed)
	if t.entry.Replay != "" {
		name = "replay"
	}
	if t.entry.Repeats > 1 {
		name += fmt.Sprintf("-%d", t.repeat)
	}
	if again {
		name += "-again"
	}
	return path.Join("runs", fmt.Sprintf("%02d-%s", i+1, slug(t.entry.Name)), name)
}

var notInSlug = regexp.MustCompile("[^a-z0-9]+")

// slug converts a text to a file name.
func slug(text string) string {
	s := notInSlug.ReplaceAllString(strings.ToLower(text), "-")
	return strings.Trim(s[:min(48, len(s))], "-")
}
