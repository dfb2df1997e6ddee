package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"path"

	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/internal/campaign/compare"
	"github.com/lockbench/lockbench/internal/campaign/gate"
	"github.com/lockbench/lockbench/internal/campaign/matrix"
	"github.com/lockbench/lockbench/internal/run/store"
	"github.com/lockbench/lockbench/reports"
	comparepage "github.com/lockbench/lockbench/reports/compare"
	gatepage "github.com/lockbench/lockbench/reports/gate"
	matrixpage "github.com/lockbench/lockbench/reports/matrix"
	"github.com/lockbench/lockbench/reports/page"
	"github.com/lockbench/lockbench/reports/view"
)

// The pages that are made on demand, by their last name.
const (
	matrixPageName = store.MatrixPage
	gatePage       = store.GatePage
	plotsPage      = "plots.html"
)

// pageOf is a kind of page: the main file that it is made from, and the method that makes it.
type pageOf struct {
	from string
	make func(s *Server, name string, dir fs.FS) (body []byte, policy string, err error)
}

var pagesOf = map[string]pageOf{
	store.Report:   {store.History, (*Server).reportPage},
	plotsPage:      {store.History, (*Server).plotsPage},
	matrixPageName: {"matrix.json", (*Server).matrixPage},
	gatePage:       {"gate.json", (*Server).gatePage},
}

// regular returns a directory whose files can be read into memory for a page.
func regular(dir fs.FS) fs.FS { return units.Regular{FS: dir, Most: units.MaxDocument} }

func (s *Server) run(dir fs.FS) (*store.Run, error) {
	r, err := store.LoadFS(regular(dir))
	if r == nil || err != nil && len(r.History.Events) == 0 {
		return nil, err
	}
	return r, nil
}

// allRuns is the list.
var allRuns = page.Place{Href: "/", Text: "all runs"}

// above returns the parent pages of a run: the list, and the matrix or gate that made the run.
func (s *Server) above(name string) []page.Place {
	places := []page.Place{allRuns}
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		for _, p := range [][3]string{{"matrix.json", matrixPageName, "the matrix"},
			{"gate.json", gatePage, "the gate"}} {
			if s.has(path.Join(dir, p[0])) {
				href := (&url.URL{Path: "/store/" + path.Join(dir, p[1])}).String()
				places = append(places, page.Place{Href: href, Text: p[2]})
			}
		}
	}
	return places
}

// compare returns the page that compares two runs, matrices or gates. The query names them.
func (s *Server) compare(w http.ResponseWriter, r *http.Request) {
	body, err := s.comparison(r.Context(), r.URL.Query().Get("a"), r.URL.Query().Get("b"))
	if err != nil {
		refuse(w, http.StatusUnprocessableEntity, "This cannot be compared: "+page.Clean(err.Error(),
			300))
		return
	}
	allow(w, page.PolicyFor())
	w.Write(body)
}

// allow sets the headers of a page of ours with its content security policy.
func allow(w http.ResponseWriter, policy string) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", policy+"; frame-ancestors 'none'")
}

func (s *Server) comparison(ctx context.Context, names ...string) ([]byte, error) {
	var sides []*compare.Side
	var links []string
	for _, name := range names {
		if !inside(name) {
			return nil, errors.New("there is nothing like that in the store")
		}
		dir, err := s.root.OpenRoot(name)
		if err != nil {
			return nil, err
		}
		side, err := compare.LoadFS(ctx, name, regular(dir.FS()), nil)
		dir.Close()
		if err != nil {
			return nil, err
		}
		sides = append(sides, side)
		links = append(links, (&url.URL{Path: "/store/" + name}).String())
	}
	c, err := compare.Compare(sides[0], sides[1])
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = comparepage.WriteHTML(&b, c, links[0], links[1], allRuns)
	return b.Bytes(), err
}

func (s *Server) reportPage(name string, dir fs.FS) ([]byte, string, error) {
	r, err := s.run(dir)
	if err != nil {
		return nil, "", err
	}
	view.Redraw(r)
	v, err := view.New(r)
	if err != nil {
		return nil, "", err
	}
	v.Above = append(s.above(name), page.Place{Href: plotsPage, Text: "plots"})
	return reports.Page(v)
}

func (s *Server) plotsPage(_ string, dir fs.FS) ([]byte, string, error) {
	r, err := s.run(dir)
	if err != nil {
		return nil, "", err
	}
	v, err := view.New(r)
	if err != nil {
		return nil, "", err
	}
	return reports.PlotsPage(v)
}

func (s *Server) matrixPage(_ string, dir fs.FS) ([]byte, string, error) {
	f, err := regular(dir).Open("matrix.json")
	if err != nil {
		return nil, "", err
	}
	defer f.Close()
	m, err := matrix.Read(f)
	if err != nil {
		return nil, "", err
	}
	return matrixpage.Page(m, matrixpage.Links(dir, store.History), allRuns)
}

func (s *Server) gatePage(_ string, dir fs.FS) ([]byte, string, error) {
	b, err := fs.ReadFile(regular(dir), "gate.json")
	if err != nil {
		return nil, "", err
	}
	var g gate.Result
	if err := json.Unmarshal(b, &g); err != nil {
		return nil, "", fmt.Errorf("gate.json: %w", err)
	}
	return gatepage.Page(&g, matrixpage.Links(dir, store.History), allRuns)
}
