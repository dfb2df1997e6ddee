// Package store keeps each run in one directory. All later stages need only this directory.
package store

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/internal/history"
)

// The files of a run directory (docs/formats.md).
const (
	Plan     = "plan.json"
	History  = "history.jsonl"
	Trace    = "trace.jsonl"
	Nodes    = "nodes"
	Logs     = "logs"
	Verdict  = "verdict.json"
	Report   = "report.html"
	Markdown = "report.md"
	Plots    = "plots"
	// in the directory of a matrix or a gate, whose runs are in its directory Runs
	MatrixPage = "matrix.html"
	GatePage   = "gate.html"
	Runs       = "runs"
	Latest     = "latest" // in the store itself: a link to the newest run
	// the counterexample that the run repeats, or the one that was made from the run
	Counterexample = "counterexample.yaml"
)

// TimeLayout is the format of the names of run directories. It is Jepsen's, so that its tools can
// list our runs.
const TimeLayout = "20060102T150405.000Z"

// Create makes the directory of a new run below root and returns its path.
func Create(root, impl, nemesis string, now time.Time) (string, error) {
	name := strings.NewReplacer(":", "-", "/", "-").Replace(impl + "-" + nemesis)
	parent := filepath.Join(root, name)
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return "", unwritable(root, err)
	}
	for {
		dir := filepath.Join(parent, now.UTC().Format(TimeLayout))
		err := os.Mkdir(dir, 0o755)
		if err == nil {
			return dir, nil
		}
		if !errors.Is(err, fs.ErrExist) {
			return "", unwritable(root, err)
		}
		now = now.Add(time.Millisecond) // another run started in the same one
	}
}

func unwritable(root string, err error) error {
	return fmt.Errorf("cannot write to the store %q: %w; name another with --store", root, err)
}

// Point makes root/latest and the run's own latest point at dir. It replaces the links in one step
// each.
func Point(root, dir string) error {
	return errors.Join(Link(root, Latest, dir), Link(filepath.Dir(dir), Latest, dir))
}

// Link makes the symbolic link name in from point at dir, in one step.
func Link(from, name, dir string) error {
	target, err := filepath.Rel(from, dir)
	if err != nil {
		return err
	}
	tmp := filepath.Join(from, fmt.Sprintf(".%s-%d", name, os.Getpid()))
	os.Remove(tmp)
	if err := os.Symlink(target, tmp); err != nil {
		return err
	}
	return os.Rename(tmp, filepath.Join(from, name))
}

// Run is the content of a run directory.
type Run struct {
	Dir     string
	Plan    json.RawMessage // nil if there is none
	History *history.History
	Trace   []history.Command
	Nodes   map[string][]history.NodeCommand
	Verdict *checker.Verdict // nil if it has not been judged
}

// Load reads a run directory. The history must be there and readable; everything else may be
// missing. If the content of the history is faulty, Load returns an error, and the readable part
// with it.
func Load(dir string) (*Run, error) {
	r, err := LoadFS(os.DirFS(dir))
	if r == nil {
		return nil, fmt.Errorf("%s is no run directory: %w", dir, err)
	}
	if r.Dir = dir; err != nil {
		err = fmt.Errorf("%s: %w", filepath.Join(dir, History), err)
	}
	return r, err
}

// LoadFS is Load for a run directory that is the root of a file system.
func LoadFS(dir fs.FS) (*Run, error) {
	documents := units.Regular{FS: dir, Most: units.MaxDocument}
	records := units.Regular{FS: dir, Most: units.MaxRecord}
	r := &Run{Nodes: map[string][]history.NodeCommand{}}
	f, err := records.Open(History)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var unfit error
	if r.Plan, unfit = fs.ReadFile(documents, Plan); errors.Is(unfit, units.ErrUnfit) {
		return nil, unfit
	}
	err = with(documents, Verdict, func(f fs.File) { r.Verdict, _ = checker.Read(f) })
	if err != nil {
		return nil, err
	}
	if err := r.trace(records); err != nil {
		return nil, err
	}
	r.History, err = history.Read(history.Sized{Reader: f, Bytes: history.SizeOf(f)})
	if unfit := r.nodes(records); unfit != nil {
		return nil, unfit
	}
	return r, err
}

// with calls read with a file of a directory if it is there. It returns an error if the file must
// not be read.
func with(dir units.Regular, name string, read func(fs.File)) error {
	f, err := dir.Open(name)
	if err != nil {
		if errors.Is(err, units.ErrUnfit) {
			return err
		}
		return nil
	}
	defer f.Close()
	read(f)
	return nil
}

// nodes reads the nodes' command streams and brings them to the run's time.
func (r *Run) nodes(dir units.Regular) error {
	files, _ := fs.Glob(dir, Nodes+"/*.jsonl")
	for _, name := range files {
		node := strings.TrimSuffix(path.Base(name), ".jsonl")
		if err := with(dir, name, func(f fs.File) {
			r.Nodes[node] = streamed(f, r.History.Header.Epoch)
		}); err != nil {
			return err
		}
	}
	return nil
}

// maxLine is how long a line of a node's command stream may be.
const maxLine = 16 << 20

// streamed reads a node's command stream and brings it to the time of a run.
func streamed(f io.Reader, epoch int64) (all []history.NodeCommand) {
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, maxLine)
	for lines.Scan() {
		var c history.NodeCommand
		if json.Unmarshal(lines.Bytes(), &c) == nil {
			c.T -= epoch
			all = append(all, c)
		}
	}
	return all
}

// Judge reads a run directory, judges the run and writes verdict.json. If a history cannot be read
// to its end, Judge judges the readable part. If verdict.json cannot be written, Judge returns the
// judged run together with the error.
func Judge(dir string) (*Run, error) {
	r, err := Load(dir)
	if r == nil {
		return nil, err
	}
	if err := r.observe(); err != nil {
		return nil, err
	}
	r.Verdict = checker.Check(r.History, r.Trace, checker.Options{Partial: err != nil})
	return r, r.SaveVerdict()
}

// Began returns the wall-clock time of the start of the run, by the name of its directory or else
// by its history. If the history does not have it, Began returns the present time.
func (r *Run) Began() time.Time {
	if dir, err := filepath.EvalSymlinks(r.Dir); err == nil && r.Dir != "" {
		if t, err := time.Parse(TimeLayout, filepath.Base(dir)); err == nil {
			return t
		}
	}
	if t, err := time.Parse(time.RFC3339Nano, r.History.Header.Started); err == nil {
		return t
	}
	return time.Now()
}

// SaveVerdict writes verdict.json.
func (r *Run) SaveVerdict() error {
	return Write(r.Dir, Verdict, func(w *os.File) error { return r.Verdict.Write(w) })
}

// Recording is a run directory during the run.
type Recording struct{ History, Trace *os.File }

// Record opens the files of a new run.
func Record(dir string) (Recording, error) {
	h, err := os.Create(filepath.Join(dir, History))
	if err != nil {
		return Recording{}, err
	}
	t, err := os.Create(filepath.Join(dir, Trace))
	if err != nil {
		return Recording{}, errors.Join(err, h.Close())
	}
	return Recording{h, t}, nil
}

// Close closes the files.
func (r Recording) Close() error { return errors.Join(r.History.Close(), r.Trace.Close()) }

// Write replaces a file of the run directory in one step: a reader sees the old one or the new one.
func Write(dir, name string, write func(*os.File) error) error {
	f, err := os.CreateTemp(dir, "."+name+"-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	err = errors.Join(write(f), f.Chmod(0o644), f.Close())
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", name, err)
	}
	return os.Rename(f.Name(), filepath.Join(dir, name))
}
