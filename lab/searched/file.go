package searched

import (
	"encoding/json"
	"errors"
	"fmt"
	"github.com/lockbench/lockbench/lab/records"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/lockbench/lockbench/internal/run/store"
)

// Page is the page that contains the tables of the searches without an aim.
const Page = "search.md"

// Load reads the record with a name in the directory docs into r. If there is none, it does not
// change r.
func Load(docs fs.FS, name string, r any) error {
	f, err := records.Open(docs, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	defer f.Close()
	return json.NewDecoder(f).Decode(r)
}

// Table is a text between two marks of the page.
type Table struct{ Mark, Text string }

// Save writes a record to the directory docs, and its tables into the page.
func Save(docs, name string, r any, tables ...Table) error {
	text, err := os.ReadFile(filepath.Join(docs, Page))
	if err != nil {
		return err
	}
	now := string(text)
	for _, t := range tables {
		if now, err = insertBetween(now, t.Mark, t.Text); err != nil {
			return err
		}
	}
	return errors.Join(records.Write(docs, name, func(f io.Writer) error {
		e := json.NewEncoder(f)
		e.SetEscapeHTML(false)
		e.SetIndent("", " ")
		return e.Encode(r)
	}), store.Write(docs, Page, func(f *os.File) error {
		_, err := f.WriteString(now)
		return err
	}))
}

// insertBetween replaces the text between two marks of a page.
func insertBetween(page, name, text string) (string, error) {
	begin, end := "<!-- measured: "+name+" -->\n", "<!-- end of "+name+" -->\n"
	head, rest, ok := strings.Cut(page, begin)
	_, tail, found := strings.Cut(rest, end)
	if !ok || !found {
		return "", fmt.Errorf("the page has no place for %s: %s", name, begin)
	}
	return head + begin + text + end + tail, nil
}
