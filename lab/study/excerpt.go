package study

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/lockbench/lockbench/internal/campaign/matrix"
	"github.com/lockbench/lockbench/internal/run/store"
)

// The best-known rows and columns, which the README shows.
var (
	excerptRows = []string{"setnx", "setnx-del-expired", "setnx-expire", "getset", "setpx-del",
		"setpx-getdel", "token-lua", "redisson watchdog", "redlock per attempt"}
	excerptColumns = []string{"none", "longwork", "crash", "pause", "partition", "late", "restart",
		"failover", "clock-server+", "clock-client"}
)

// The marks around the excerpt in a page.
const (
	excerptBegin = "<!-- written by the lab -->\n"
	excerptEnd   = "<!-- end -->\n"
)

// Excerpt puts the excerpt of the matrix between its marks in a page. It returns a page without
// marks unchanged.
func Excerpt(m *matrix.Matrix, page []byte) ([]byte, error) {
	before, rest, marked := bytes.Cut(page, []byte(excerptBegin))
	_, after, closed := bytes.Cut(rest, []byte(excerptEnd))
	if !marked {
		return page, nil
	}
	if !closed {
		return nil, fmt.Errorf("the page has %q, but not the line %q after it", excerptBegin, excerptEnd)
	}
	small := *m
	small.Rows = slices.DeleteFunc(slices.Clone(m.Rows), func(r matrix.Row) bool {
		return !slices.Contains(excerptRows, r.Name)
	})
	small.Columns = slices.DeleteFunc(slices.Clone(m.Columns), func(c matrix.Column) bool {
		return !slices.Contains(excerptColumns, c.Name)
	})
	var table bytes.Buffer
	if err := small.Markdown(&table); err != nil {
		return nil, err
	}
	return slices.Concat(before, []byte(excerptBegin), table.Bytes(), []byte(excerptEnd), after), nil
}

// writeExcerpt updates the excerpt in the README of a directory, if there is one.
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
