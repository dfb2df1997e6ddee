// Package study contains what only this project's own pages need: the claims of the documents, the
// mitigations, the rates of violations, the table that the simulator decides, and the pages that
// are made from them.
package study

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/lockbench/lockbench/internal/campaign/matrix"
	"github.com/lockbench/lockbench/internal/run/store"
	"github.com/lockbench/lockbench/lab/mutate/detection"
	"github.com/lockbench/lockbench/lab/ranking"
	"github.com/lockbench/lockbench/lab/records"
)

// The records in the directory of results. There is one soak for each environment.
const (
	MatrixFile      = "matrix.json"
	LibrariesFile   = "libraries.json"
	FidelityFile    = "fidelity.json"
	ExhaustiveFile  = "exhaustive.json"
	SleepFile       = "sleep.json"
	MitigationsFile = "mitigations.json"
	soakFiles       = "soak-*.json.gz"
)

// SoakFile returns the name of the record of a soak in an environment.
func SoakFile(environment string) string { return "soak-" + environment + ".json" }

// Book holds the records for the pages of this project. Each record is measured by a separate
// command. A nil record is omitted.
type Book struct {
	Matrix      *matrix.Matrix
	Libraries   *matrix.Matrix // results of adapters
	Fidelity    *matrix.Matrix // results of the documents' code as posted, and of its ports
	Exhaustive  *ExhaustiveReport
	Sleep       *Sleep
	Mitigations *MitigationReport
	Detection   *detection.Record
	Ranking     *ranking.Record
	Soaks       []*Soak // sorted by the name of the environment
}

// ReadBook reads the records in a directory.
func ReadBook(dir fs.FS) (*Book, error) {
	var b Book
	parts := []func() error{
		func() error { return readPart(dir, MatrixFile, matrix.Read, &b.Matrix) },
		func() error { return readPart(dir, LibrariesFile, matrix.Read, &b.Libraries) },
		func() error { return readPart(dir, FidelityFile, matrix.Read, &b.Fidelity) },
		func() error { return readPart(dir, ExhaustiveFile, ReadExhaustive, &b.Exhaustive) },
		func() error { return readPart(dir, SleepFile, ReadSleep, &b.Sleep) },
		func() error { return readPart(dir, MitigationsFile, ReadMitigations, &b.Mitigations) },
		func() error { return readPart(dir, detection.File, detection.Read, &b.Detection) },
		func() error { return readPart(dir, ranking.File, ranking.Read, &b.Ranking) },
	}
	errs := make([]error, len(parts))
	var all sync.WaitGroup
	for i, read := range parts { // in parallel, because a report waits for it
		all.Go(func() { errs[i] = read() })
	}
	all.Wait()
	err := errors.Join(errs...)
	soaks, _ := fs.Glob(dir, soakFiles) // sorted; the pattern is valid
	for _, name := range soaks {
		var s *Soak
		err = errors.Join(err, readPart(dir, strings.TrimSuffix(name, ".gz"), ReadSoak, &s))
		b.Soaks = append(b.Soaks, s)
	}
	return &b, err
}

// readPart reads a record if it exists.
func readPart[T any](dir fs.FS, name string, read func(io.Reader) (T, error), into *T) error {
	f, err := records.Open(dir, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	defer f.Close()
	part, err := read(f)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	*into = part
	return nil
}

// Page is a page with its name relative to the directory of pages.
type Page struct {
	Name string
	Text []byte
}

// Pages returns the pages whose records exist.
func (b *Book) Pages() (pages []Page) {
	add := func(name string, write func(*page)) {
		var p page
		write(&p)
		pages = append(pages, Page{name, p.Bytes()})
	}
	if b.Matrix != nil {
		add("verdicts.md", b.verdicts)
		add("claims.md", b.claims)
	}
	if b.Libraries != nil {
		add("libraries.md", b.libraries)
		for _, name := range adapters(b.Libraries) {
			add(libraryPage(name), func(p *page) { b.library(p, name) })
		}
	}
	if b.Fidelity != nil {
		add("fidelity.md", b.fidelity)
	}
	if b.Exhaustive != nil {
		add("exhaustive.md", b.exhaustive)
	}
	if len(b.Soaks) > 0 {
		add("verdicts/how-often.md", b.howOften)
	}
	if b.Mitigations != nil {
		add("verdicts/mitigations.md", b.mitigations)
	}
	if b.Detection != nil {
		add("detection.md", b.detected)
	}
	for _, impl := range b.locks() {
		add("verdicts/"+impl+".md", func(p *page) { b.lock(p, impl) })
	}
	return pages
}

// WritePages writes the pages of a directory from the records in it.
func WritePages(dir string) error {
	book, err := ReadBook(os.DirFS(dir))
	if err != nil {
		return err
	}
	for _, p := range book.Pages() {
		to := filepath.Join(dir, filepath.FromSlash(p.Name))
		err = errors.Join(err, os.MkdirAll(filepath.Dir(to), 0o755),
			store.Write(filepath.Dir(to), filepath.Base(to), func(f *os.File) error {
				_, err := f.Write(p.Text)
				return err
			}))
	}
	return err
}

// WriteDocs stores the results of a matrix in a directory, writes the pages, and updates the
// excerpt in the README two levels above the directory. If there is a matrix already, only the
// measured cells are replaced. A matrix of adapters has its own page. So has a matrix of adapters
// and the locks that are ports of them.
func WriteDocs(m *matrix.Matrix, dir string) error {
	book, err := ReadBook(os.DirFS(dir))
	if err != nil {
		return err
	}
	name, old := MatrixFile, book.Matrix
	foreign := func(r matrix.Row) bool { return r.Adapter != "" }
	ours := !slices.ContainsFunc(m.Rows, foreign)
	switch {
	case ours:
	case slices.ContainsFunc(m.Rows, func(r matrix.Row) bool { return !foreign(r) }):
		name, old = FidelityFile, book.Fidelity
	default:
		name, old = LibrariesFile, book.Libraries
	}
	if old != nil && !covers(m, old) {
		if m, err = withPart(old, m); err != nil {
			return fmt.Errorf("%s cannot take a part: %w", filepath.Join(dir, name), err)
		}
	}
	err = errors.Join(records.Write(dir, name, Slim(m).Write),
		WritePages(dir))
	if ours {
		err = errors.Join(err, writeExcerpt(m, filepath.Join(dir, "..", "..")))
	}
	return err
}

// covers reports whether a matrix has every cell of another matrix or of the current table.
func covers(m, other *matrix.Matrix) bool {
	whole := len(m.Rows) == len(matrix.Rows()) && len(m.Columns) == len(matrix.Columns())
	return whole || !slices.ContainsFunc(other.Cells, func(c matrix.Cell) bool {
		return m.Cell(c.Row, c.Column) == nil
	})
}

// locks returns the locks with any results, in the order of the matrix.
func (b *Book) locks() (impls []string) {
	for _, r := range matrix.Rows() {
		told := b.Matrix != nil && b.Matrix.Cell(r.Name, "none") != nil ||
			b.Exhaustive != nil && slices.Contains(b.Exhaustive.rows(), r.Name)
		if told && !slices.Contains(impls, r.Impl) {
			impls = append(impls, r.Impl)
		}
	}
	return impls
}

// measured returns the violations of a cell on real Redis. It returns false if they are unknown.
func (b *Book) measured(row, column string) ([]string, bool) {
	if b.Matrix == nil {
		return nil, false
	}
	c := b.Matrix.Cell(row, column)
	if c == nil || c.Impossible != "" || c.Elsewhere || len(c.Unknown()) > 0 && len(c.Found()) == 0 {
		return nil, false
	}
	return c.Found(), true
}

// stripPath removes the part of a file path before the run's directory, because the location of the
// matrix is irrelevant to readers of the pages.
func stripPath(text, dir string) string {
	i := strings.Index(text, "/"+dir+"/")
	if dir == "" || i < 0 {
		return text
	}
	return text[:strings.LastIndex(text[:i], " ")+1] + text[i+1:]
}

// Slim returns a matrix without references to its runs, for the directory of results. It keeps one
// explanation of each property in each cell.
func Slim(m *matrix.Matrix) *matrix.Matrix {
	slim := *m
	slim.Cells = slices.Clone(m.Cells)
	for i := range slim.Cells {
		c := &slim.Cells[i]
		c.Properties = slices.Clone(c.Properties)
		for j := range c.Properties {
			c.Properties[j].Dir = ""
		}
		told := map[string]bool{}
		c.Runs = slices.Clone(c.Runs)
		for j := range c.Runs {
			r := &c.Runs[j]
			words := map[string]string{}
			for l, w := range r.Explanations {
				if !told[l] && w != "" {
					words[l], told[l] = cut(w), true
				}
			}
			r.Reasons = maps.Clone(r.Reasons)
			for l, why := range r.Reasons {
				r.Reasons[l] = stripPath(why, r.Dir)
			}
			for k := range c.Properties {
				c.Properties[k].Reason = stripPath(c.Properties[k].Reason, r.Dir)
			}
			r.HarnessError = stripPath(r.HarnessError, r.Dir)
			r.Dir, r.Explanations = "", words
		}
	}
	return &slim
}
