package reports

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"net/url"
	"path"
	"path/filepath"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/gate"
	"github.com/lockbench/lockbench/internal/matrix"
	"github.com/lockbench/lockbench/internal/store"
	"github.com/lockbench/lockbench/internal/units"
	"github.com/lockbench/lockbench/reports/page"
)

// The pages that are made on demand, by their last name.
const (
	matrixPageName = "matrix.html"
	gatePage       = "gate.html"
	plotsPage      = "plots.html"
)

// pageOf says how a page is made, and from which file of its directory above all.
type pageOf struct {
	from string
	make func(s *Server, dir fs.FS) (body []byte, policy string, err error)
}

var pagesOf = map[string]pageOf{
	store.Report:   {store.History, (*Server).reportPage},
	plotsPage:      {store.History, (*Server).plotsPage},
	matrixPageName: {"matrix.json", (*Server).matrixPage},
	gatePage:       {"gate.json", (*Server).gatePage},
}

var (
	//go:embed serve.css
	serveCSS string
	//go:embed plots.html.tmpl
	plotsHTML string
	//go:embed gate.html.tmpl
	gateHTML string

	plotsTemplate = template.Must(template.New("plots").Parse(plotsHTML))
	gateTemplate  = template.Must(template.New("gate").Parse(gateHTML))
)

// regular is a file system without pipes and devices, which a reader would wait for.
type regular struct{ fs.FS }

// Open implements fs.FS.
func (r regular) Open(name string) (fs.File, error) {
	info, err := fs.Stat(r.FS, name)
	switch {
	case err != nil:
		return nil, err
	case !info.IsDir() && !info.Mode().IsRegular():
		return nil, &fs.PathError{Op: "open", Path: name, Err: errors.New("not a regular file")}
	case info.Size() > maxFile:
		return nil, &fs.PathError{Op: "open", Path: name, Err: fmt.Errorf("larger than %d MB",
			maxFile>>20)}
	}
	return r.FS.Open(name)
}

// maxFile bounds what is read into memory for a page.
const maxFile = 256 << 20

// Redraw judges a violated run again: only a fresh verdict can draw porcupine's view of the failing
// slice. A verdict that comes out otherwise, by another lockbench, is left as it was.
func Redraw(r *store.Run) {
	if r.Verdict == nil || r.Verdict.Verdict != checker.Violated || len(r.History.Events) > maxRedraw {
		return
	}
	if fresh := checker.Check(r.History, r.Trace, checker.Options{}); fresh.Verdict ==
		checker.Violated {
		r.Verdict = fresh
	}
}

// maxRedraw bounds the events of a history that is judged only for its picture.
const maxRedraw = 100_000

func (s *Server) run(dir fs.FS) (*store.Run, error) {
	r, err := store.LoadFS(regular{dir})
	if r == nil || err != nil && len(r.History.Events) == 0 {
		return nil, err
	}
	return r, nil
}

func (s *Server) reportPage(dir fs.FS) ([]byte, string, error) {
	r, err := s.run(dir)
	if err != nil {
		return nil, "", err
	}
	Redraw(r)
	v, err := Of(r)
	if err != nil {
		return nil, "", err
	}
	return Page(v)
}

func (s *Server) plotsPage(dir fs.FS) ([]byte, string, error) {
	r, err := s.run(dir)
	if err != nil {
		return nil, "", err
	}
	v, err := Of(r)
	if err != nil {
		return nil, "", err
	}
	figs, err := figures(v)
	if err != nil {
		return nil, "", err
	}
	p := struct {
		Title string
		Plots []shownFigure
		CSS   template.CSS
		CSP   string
	}{Title: page.Clean(r.History.Header.Impl+" under "+r.History.Header.Nemesis, 120),
		CSS: template.CSS(baseCSS + reportCSS + serveCSS), CSP: page.PolicyFor()}
	for i := range figs {
		svg, err := figs[i].inline()
		if err != nil {
			return nil, "", err
		}
		p.Plots = append(p.Plots, shownFigure{figs[i].Title, svg})
	}
	var b bytes.Buffer
	err = plotsTemplate.Execute(&b, p)
	return b.Bytes(), p.CSP, err
}

func (s *Server) matrixPage(dir fs.FS) ([]byte, string, error) {
	f, err := regular{dir}.Open("matrix.json")
	if err != nil {
		return nil, "", err
	}
	defer f.Close()
	m, err := matrix.ReadMatrix(f)
	if err != nil {
		return nil, "", err
	}
	return MatrixPage(m, reportsIn(dir))
}

// reportsIn links to the reports of the runs that are there: the server makes them.
func reportsIn(dir fs.FS) linker {
	return func(run string) string {
		if run == "" || !filepath.IsLocal(run) {
			return ""
		}
		if _, err := fs.Stat(dir, path.Join(filepath.ToSlash(run), store.History)); err != nil {
			return ""
		}
		return (&url.URL{Path: path.Join(filepath.ToSlash(run), store.Report)}).String()
	}
}

// gateRow is an entry of a gate.
type gateRow struct {
	Name, Title, Expect, Found, Result, State, Claim, Words, Link, Reproduce string
}

var gateStates = map[gate.GateOutcome]string{gate.Passed: "valid",
	gate.Allowed: "valid", gate.Failed: "violated", gate.Crashed: "violated"}

func (s *Server) gatePage(dir fs.FS) ([]byte, string, error) {
	b, err := fs.ReadFile(regular{dir}, "gate.json")
	if err != nil {
		return nil, "", err
	}
	var g gate.GateResult
	if err := json.Unmarshal(b, &g); err != nil {
		return nil, "", fmt.Errorf("gate.json: %w", err)
	}
	p := struct {
		Result, State, Meta string
		Rows                []gateRow
		CSS                 template.CSS
		CSP                 string
	}{Result: page.Clean(string(g.Result), 20), State: stateOf(g.Result), CSS: template.CSS(baseCSS +
		serveCSS), CSP: page.PolicyFor()}
	p.Meta = fmt.Sprintf("%s · took %s · exit code %d", units.Count(len(g.Entries), "entry"),
		units.Span(g.Took), g.Exit)
	link := reportsIn(dir)
	for _, e := range g.Entries {
		row := gateRow{Name: page.Clean(e.Name, 80), Title: page.Clean(e.Title, 120),
			Expect: page.Clean(fmt.Sprint(e.Expect), 60), Found: page.Clean(e.Found, 60),
			Result: page.Clean(string(e.Result), 20), State: stateOf(e.Result), Claim: page.Clean(e.Claim, 300)}
		if e.Shown != nil {
			row.Words, row.Reproduce, row.Link = page.Clean(e.Shown.Words, 500), page.Clean(e.Shown.Reproduce, 400),
				link(e.Shown.Dir)
		}
		p.Rows = append(p.Rows, row)
	}
	var out bytes.Buffer
	err = gateTemplate.Execute(&out, p)
	return out.Bytes(), p.CSP, err
}

func stateOf(o gate.GateOutcome) string {
	if s := gateStates[o]; s != "" {
		return s
	}
	return "unknown"
}
