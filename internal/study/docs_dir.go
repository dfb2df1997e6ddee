package study

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/lockbench/lockbench/internal/batch"
	"github.com/lockbench/lockbench/internal/matrix"
	"github.com/lockbench/lockbench/internal/store"
)

// MitigationsFile is what was measured of the mitigations, in a matrix' directory and in docs.
const MitigationsFile = "mitigations.json"

// SoakFile is the name that docs has for the soak of an environment; "*" for all environments.
func SoakFile(environment string) string { return "soak-" + environment + ".json" }

// WriteDocs writes the pages that are made from a whole matrix into a directory, with what was
// measured beside it and is kept there, and renews the excerpt in the README above the directory.
func WriteDocs(m *matrix.Matrix, dir string) error {
	a, err := readAppendix(dir)
	if err != nil {
		return err
	}
	return errors.Join(
		newMeasured(m).save(dir),
		store.Write(dir, "verdicts.md", func(w *os.File) error { return Verdicts(m, w, a) }),
		store.Write(dir, "claims.md", func(w *os.File) error { return ClaimsTable(m, w) }),
		writeExcerpt(m, filepath.Dir(filepath.Clean(dir))),
	)
}

// writeExcerpt renews the few rows that the README of a directory shows, if there is one.
func writeExcerpt(m *matrix.Matrix, dir string) error {
	const name = "README.md"
	old, err := os.ReadFile(filepath.Join(dir, name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	page, err := Excerpt(m, old)
	if err != nil || bytes.Equal(page, old) {
		return err
	}
	return store.Write(dir, name, func(w *os.File) error { _, err := w.Write(page); return err })
}

// readAppendix reads what there is in a directory of pages.
func readAppendix(dir string) (a Appendix, err error) {
	if a.Mitigations, err = ifThere[MitigationReport](dir, MitigationsFile); err != nil {
		return a, err
	}
	if a.Exhaustive, err = ifThere[ExhaustiveReport](dir, DecidedFile); err != nil {
		return a, err
	}
	soaks, _ := filepath.Glob(filepath.Join(dir, SoakFile("*"))) // sorted; the pattern is good
	for _, name := range soaks {
		s, err := batch.ReadFile[Soak](name)
		if err != nil {
			return a, err
		}
		a.Soaks = append(a.Soaks, s)
	}
	return a, nil
}

// ifThere reads a document; nil if there is no such file.
func ifThere[T any](dir, name string) (*T, error) {
	d, err := batch.ReadFile[T](filepath.Join(dir, name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return d, err
}
