package serve

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/base/pool"
	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/internal/campaign/gate"
	"github.com/lockbench/lockbench/internal/campaign/matrix"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/run/store"
	"github.com/lockbench/lockbench/reports/page"
)

var (
	//go:embed list.html.tmpl
	listHTML string
	//go:embed list.css
	listCSS string
	//go:embed list.js
	listJS string

	listTemplate = template.Must(template.New("list").Parse(listHTML))
)

// The list is bounded: the newest are shown. The page opens with the first of them, and its script
// asks for all, so that a store of many thousand runs need not be read before anything is seen.
const (
	maxListed   = 20000
	firstListed = 300
)

// Listing is the content of the list of a store: the document /api/runs.
type Listing struct {
	Store string  `json:"store"`
	Items []Entry `json:"items"`
	Left  int     `json:"left,omitempty"` // older ones that are not listed
	// the page opens with these only, and asks for the others at once
	First bool `json:"first,omitempty"`
}

// Entry is a run, a matrix or a gate of a store.
type Entry struct {
	Kind        string `json:"kind"`           // run, matrix or gate
	Name        string `json:"name"`           // of its directory: the lock and the fault
	Time        string `json:"time"`           // when it began, as its directory is named
	Path        string `json:"path"`           // below /store/, escaped for a URL
	Page        string `json:"page,omitempty"` // first page to look at, below Path
	Impl        string `json:"impl,omitempty"`
	Nemesis     string `json:"nemesis,omitempty"`
	Environment string `json:"environment,omitempty"`
	// violated, valid, unknown, n.a., not judged, running; of a gate its result, of a matrix nothing
	Verdict string   `json:"verdict"`
	Letters []string `json:"letters,omitempty"`
	Summary string   `json:"summary,omitempty"`
	Expect  string   `json:"expect,omitempty"`
	As      bool     `json:"as_expected,omitempty"`
	Files   []string `json:"files,omitempty"` // to download
}

// listed is an entry as it was when its directory was last changed: every document is put into it
// by a rename. A run that goes on is read again.
type listed struct {
	changed time.Time
	entry   Entry
}

// Listing reads the store. Directories that hold nothing of lockbench's are left out.
func (s *Server) Listing() Listing {
	s.whole.Lock()
	defer s.whole.Unlock()
	return s.newest(maxListed)
}

// newest lists so many.
func (s *Server) newest(most int) Listing {
	l := Listing{Store: s.dir, Items: []Entry{}}
	type place struct {
		test, time string
		entry      Entry
	}
	var all []*place
	dir := s.root.FS()
	tests, _ := fs.ReadDir(dir, ".")
	for _, t := range tests {
		// skip links, so that latest is not listed twice
		if !t.IsDir() || strings.HasPrefix(t.Name(), ".") {
			continue
		}
		runs, _ := fs.ReadDir(dir, t.Name())
		for _, r := range runs {
			if r.IsDir() && !strings.HasPrefix(r.Name(), ".") {
				all = append(all, &place{test: t.Name(), time: r.Name()})
			}
		}
	}
	slices.SortFunc(all, func(a, b *place) int { // the newest first
		return strings.Compare(b.time+b.test, a.time+a.test)
	})
	for len(all) > 0 && len(l.Items) < most { // older runs are counted without being read
		next := all[:min(len(all), most-len(l.Items))]
		pool.Each(context.Background(), runtime.NumCPU(), slices.Values(next), func(p *place) {
			p.entry = s.entry(p.test, p.time)
		})
		for _, p := range next {
			if p.entry.Kind != "" {
				l.Items = append(l.Items, p.entry)
			}
		}
		all = all[len(next):]
	}
	l.Left = len(all)
	return l
}

// entry reads what the list says of a directory, or knows it already. It has no kind if it is
// nothing of lockbench's.
func (s *Server) entry(test, at string) Entry {
	name := test + "/" + at
	var changed time.Time
	if info, err := s.root.Stat(name); err == nil {
		changed = info.ModTime()
	}
	s.mu.Lock()
	k, ok := s.known[name]
	s.mu.Unlock()
	if ok && k.changed.Equal(changed) && k.entry.Verdict != "running" {
		return k.entry
	}
	e := Entry{Name: page.Clean(test, 120), Time: page.Clean(at, 40),
		Path: (&url.URL{Path: name}).EscapedPath()}
	if dir, err := s.root.OpenRoot(name); err == nil {
		e.read(regular(dir.FS()))
		dir.Close()
	}
	s.mu.Lock()
	s.known[name] = listed{changed, e}
	s.mu.Unlock()
	return e
}

// read looks into the directory of an entry. It was opened once, since each file that is asked for
// from above is opened by every part of its path.
func (e *Entry) read(dir fs.FS) {
	has := map[string]bool{} // the regular files
	files, _ := fs.ReadDir(dir, ".")
	for _, f := range files {
		has[f.Name()] = f.Type().IsRegular()
	}
	switch {
	case has["matrix.json"]:
		e.ofMatrix(dir, has)
	case has["gate.json"]:
		e.ofGate(dir, has)
	case has[store.History]:
		e.ofRun(dir, has)
	}
}

func (e *Entry) ofMatrix(dir fs.FS, has map[string]bool) {
	e.Kind, e.Page, e.Files = "matrix", matrixPageName, there(has, "matrix.json", "matrix.md",
		"results.jsonl")
	f, err := dir.Open("matrix.json")
	if err != nil {
		return
	}
	defer f.Close()
	if m, err := matrix.Read(f); err == nil {
		e.Environment, e.Summary = page.Clean(m.Environment, 40), m.Count().String()
		e.Impl, e.Nemesis = units.Count(len(m.Rows), "lock"), units.Count(len(m.Columns), "fault")
	}
}

func (e *Entry) ofGate(dir fs.FS, has map[string]bool) {
	e.Kind, e.Page, e.Files = "gate", gatePage, there(has, "gate.json", "summary.md", "junit.xml")
	b, err := fs.ReadFile(dir, "gate.json")
	var g gate.Result
	if err != nil || json.Unmarshal(b, &g) != nil {
		return
	}
	e.Verdict, e.As = page.Clean(string(g.Result), 20), g.Exit == 0
	e.Summary = units.Count(len(g.Entries), "entry", "entries") + fmt.Sprintf(", exit code %d", g.Exit)
}

func (e *Entry) ofRun(dir fs.FS, has map[string]bool) {
	e.Kind, e.Page, e.Verdict = "run", store.Report, "not judged"
	e.Files = append(there(has, store.History), "history.edn")
	e.Files = append(e.Files, there(has, store.Verdict, store.Plan, store.Trace, store.Packed,
		store.Markdown)...)
	if h, ok := header(dir); ok {
		e.Impl, e.Nemesis, e.Environment = page.Clean(h.Impl, 60), page.Clean(h.Nemesis, 60),
			page.Clean(h.Environment, 40)
	}
	b, err := fs.ReadFile(dir, store.Verdict)
	if err != nil {
		if info, err := fs.Stat(dir, store.History); err == nil &&
			time.Since(info.ModTime()) < 15*time.Second {
			e.Verdict = "running"
		}
		return
	}
	v, err := checker.ReadHead(b)
	if err != nil {
		return
	}
	e.Verdict, e.Summary, e.Expect, e.As = v.Verdict.String(), page.Clean(v.Summary, 300),
		page.Clean(v.Expect, 40), v.AsExpected
	for _, p := range v.Properties {
		if p.Verdict == checker.Violated {
			e.Letters = append(e.Letters, page.Clean(p.Property, 12))
		}
	}
}

// there returns the names of the files that exist.
func there(has map[string]bool, names ...string) []string {
	return slices.DeleteFunc(names, func(name string) bool { return !has[name] })
}

// header reads line 1 of a history.
func header(dir fs.FS) (h history.Header, ok bool) {
	f, err := dir.Open(store.History)
	if err != nil {
		return h, false
	}
	defer f.Close()
	line, err := bufio.NewReader(io.LimitReader(f, 64<<10)).ReadBytes('\n')
	return h, err == nil && json.Unmarshal(line, &h) == nil
}

// listJSON serves the list for programs, and for the page itself, which asks again and again.
func (s *Server) listJSON(w http.ResponseWriter, r *http.Request) {
	b, err := json.Marshal(s.Listing())
	if err != nil {
		refuse(w, http.StatusInternalServerError, "The store cannot be listed.")
		return
	}
	sum := sha256.Sum256(b)
	w.Header().Set("ETag", `"`+hex.EncodeToString(sum[:12])+`"`)
	w.Header().Set("Content-Type", "application/json")
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(b))
}

// list serves the page of the list. Its script may ask this server for the list, and nothing else.
func (s *Server) list(w http.ResponseWriter, _ *http.Request) {
	l := s.newest(firstListed)
	l.First = l.Left > 0
	b, err := json.Marshal(l)
	if err != nil {
		refuse(w, http.StatusInternalServerError, "The store cannot be listed.")
		return
	}
	p := struct {
		CSS  template.CSS
		JS   template.JS
		Data template.JS
	}{template.CSS(page.CSS + listCSS), template.JS(listJS), template.JS(b)}
	var out bytes.Buffer
	if err := listTemplate.Execute(&out, p); err != nil {
		refuse(w, http.StatusInternalServerError, "The page cannot be made.")
		return
	}
	allow(w, page.PolicyFor(listJS)+"; connect-src 'self'")
	w.Write(out.Bytes())
}
