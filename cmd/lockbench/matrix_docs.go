package main

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/lockbench/lockbench/internal/matrix"
	"github.com/lockbench/lockbench/internal/store"
	"github.com/lockbench/lockbench/internal/study"
)

// writeDocs writes the pages that are made from a whole matrix, with what was measured beside it
// and is kept in the same directory.
func (f *matrixFlags) writeDocs(m *matrix.Matrix) error {
	if f.docs == "" {
		return nil
	}
	a, err := readAnnex(f.docs)
	if err != nil {
		return err
	}
	return errors.Join(
		store.Write(f.docs, "verdicts.md", func(w *os.File) error { return study.Verdicts(m, w, a) }),
		store.Write(f.docs, "claims.md", func(w *os.File) error { return study.ClaimsTable(m, w) }),
		writeExcerpt(m, filepath.Dir(filepath.Clean(f.docs))),
	)
}

// writeExcerpt renews the few rows that the README beside the directory of pages shows, if there is
// one.
func writeExcerpt(m *matrix.Matrix, dir string) error {
	const name = "README.md"
	old, err := os.ReadFile(filepath.Join(dir, name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	page, err := study.Excerpt(m, old)
	if err != nil || bytes.Equal(page, old) {
		return err
	}
	return store.Write(dir, name, func(w *os.File) error { _, err := w.Write(page); return err })
}

// readAnnex reads what there is in a directory for pages.
func readAnnex(dir string) (a study.Appendix, err error) {
	err = readIfThere(filepath.Join(dir, mitigationsFile), func(f *os.File) (err error) {
		a.Mitigations, err = study.ReadMitigations(f)
		return err
	})
	err = errors.Join(err, readIfThere(filepath.Join(dir, study.DecidedFile), func(f *os.File) (err error) {
		a.Exhaustive, err = study.ReadExhaustive(f)
		return err
	}))
	soaks, _ := filepath.Glob(filepath.Join(dir, soakPage("*"))) // sorted; the pattern is good
	for _, name := range soaks {
		err = errors.Join(err, readIfThere(name, func(f *os.File) error {
			s, err := study.ReadSoak(f)
			a.Soaks = append(a.Soaks, s)
			return err
		}))
	}
	return a, err
}

func readIfThere(name string, read func(*os.File) error) error {
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	defer f.Close()
	return read(f)
}
