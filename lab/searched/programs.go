package searched

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/internal/campaign/matrix"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/search/explore"
)

// Program is what a search without an aim finds in a library, whose program runs unchanged in
// virtual time.
type Program struct {
	Row   string  `json:"row"`
	Runs  int     `json:"runs"`
	Rate  float64 `json:"runs_per_second"`
	Found []Found `json:"found"`
	// letters that a matrix on real servers has for the row, and the search has not
	Missed []string `json:"missed,omitempty"`
}

// Found is the first violation of a property.
type Found struct {
	Letter    string `json:"letter"`
	Class     string `json:"class,omitempty"`
	Run       int    `json:"run"`
	Confirmed bool   `json:"confirmed"` // by a run of the library on a real server
}

// ReadPrograms reads what `lockbench explore --adapter A --variant V --keep-going --json` printed
// into the files A.V.json of a directory, for the rows of a matrix of libraries.
func ReadPrograms(dir string, libraries *matrix.Matrix) (all []Program, err error) {
	for _, row := range libraries.Rows {
		b, err := os.ReadFile(filepath.Join(dir, row.Adapter+"."+row.Variant+".json"))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		var found explore.Findings
		if err == nil {
			err = json.Unmarshal(b, &found)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", row.Name, err)
		}
		all = append(all, programOf(row.Name, found, libraries))
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s has no file of a library, such as redis-py.ttl.json", dir)
	}
	return all, nil
}

// programOf compares the findings of a search with the letters of a row.
func programOf(row string, found explore.Findings, libraries *matrix.Matrix) Program {
	p := Program{Row: row, Runs: found.Progress.Runs, Rate: found.Rate}
	seen := map[string]bool{}
	for _, f := range found.Found {
		seen[f.Property] = true
		p.Found = append(p.Found, Found{f.Property, f.Class, f.Run, f.Real != nil && f.Real.Confirmed})
	}
	reported := history.ReportedProperties()
	for i := range libraries.Cells {
		c := &libraries.Cells[i]
		for _, letter := range c.Found() {
			if c.Row == row && !seen[letter] && !slices.Contains(reported, letter) {
				seen[letter] = true
				p.Missed = append(p.Missed, letter)
			}
		}
	}
	return p
}

// programs returns the table of the searches of libraries.
func (r *Record) programs() string {
	if len(r.Programs) == 0 {
		return notYet
	}
	b := &strings.Builder{}
	found, missed := 0, 0
	var seconds []float64
	b.WriteString("\n| library | runs | a second | found, at which run | not found |\n" +
		"|---|---|---|---|---|\n")
	for _, p := range r.Programs {
		var shown []string
		letters := map[string]bool{}
		for _, f := range p.Found {
			if !letters[f.Letter] {
				seconds = append(seconds, float64(f.Run)/max(p.Rate, 0.01))
			}
			letters[f.Letter] = true
			shown = append(shown, fmt.Sprintf("%s %s (%d)", f.Letter, f.Class, f.Run))
		}
		found, missed = found+len(letters), missed+len(p.Missed)
		fmt.Fprintf(b, "| %s | %d | %.1f | %s | %s |\n", p.Row, p.Runs, p.Rate, strings.Join(shown, ", "),
			strings.Join(p.Missed, ", "))
	}
	slices.Sort(seconds)
	fmt.Fprintf(b, "\nOf %d letters %d were found. The median took %.0f s of the search, the worst "+
		"%.0f s.\n\n", found+missed, found, seconds[len(seconds)/2], seconds[len(seconds)-1])
	return b.String()
}
