package reports

import (
	"bytes"
	_ "embed"
	"html/template"
	"io"
	"slices"
	"sync"

	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/reports/figure"
	"github.com/lockbench/lockbench/reports/hint"
	"github.com/lockbench/lockbench/reports/page"
	"github.com/lockbench/lockbench/reports/sequence"
	"github.com/lockbench/lockbench/reports/timeline"
	"github.com/lockbench/lockbench/reports/view"
)

var (
	//go:embed page.html.tmpl
	pageHTML string
	//go:embed page.css
	pageCSS string

	//go:embed plots.html.tmpl
	plotsHTML string

	plotsTemplate = template.Must(template.New("plots").Parse(plotsHTML))
	pageTemplate  = template.Must(template.New("page").Parse(pageHTML))
)

var drawing = sync.OnceValue(func() template.JS { return page.Pack(timeline.JS) })

// maxPage is the size that a page may have; what costs most and says least is dropped until it
// fits.
const maxPage = 2_000_000

// maxStories and maxRows bound what a verdict and a header that are not ours may list.
const (
	maxStories = 12
	maxRows    = 40
)

// runPage is the view of a run, with what else the template shows. Strings are escaped by the
// template; the fields of template types are made by this package, which escapes in them what comes
// from the record.
type runPage struct {
	*view.View
	Title           string
	Expectation     string
	Why             string       // the cause of the first violation
	Whose           string       // whether it is a defect of the lock
	Remedy          *hint.Remedy // what to do about it; nil if nothing is known
	Known           *knownSection
	Waits           []view.WaitRow
	WaitsLeft       int
	Effects         []effect // what the fault cost, in words
	Faults          []view.FaultRow
	FaultsLeft      int
	Properties      []view.PropertyRow
	Apart           []view.PropertyRow // that do not apply
	Stories         []story
	Commands        []commandRow
	CommandsTitle   string
	CommandsLeft    string
	Timeline        template.JS
	Notes           []string // omissions
	Legend          bool     // a violation is marked
	Together        bool     // somewhere two are inside
	Figures         []figure.Shown
	Versions        [][2]string
	Facts           [][2]string
	Plan            string
	Command         string
	Slice           template.JS // porcupine's page, packed
	Porcupine       string
	CSS             template.CSS
	Drawing, Unpack template.JS // the script of the timeline, packed, and the one that unpacks it
	CSP             string
	HarnessError    string
}

// story is a violation, told and drawn; or, in a run that has none, what a fault fell into.
type story struct {
	ID, Title string
	Told      []string // the explanations of its properties
	Steps     []sequence.Step
	StepsLeft int
	Sequence  template.HTML
	Later     bool // not of the worst violation
}

// WriteHTML writes the report of a run as one self-contained page.
func WriteHTML(w io.Writer, v *view.View) error {
	body, _, err := Page(v)
	if err == nil {
		_, err = w.Write(body)
	}
	return err
}

// Page returns the report of a run, and the content security policy of the page, for a server that
// sends it.
func Page(v *view.View) (body []byte, policy string, err error) {
	p, err := newPage(v)
	if err != nil {
		return nil, "", err
	}
	body, err = p.fit()
	return body, p.CSP, err
}

// fit makes the page, and drops from it what costs most and says least until it is small enough.
func (p *runPage) fit() ([]byte, error) {
	var b bytes.Buffer
	for _, drop := range []func(){
		func() {},
		func() { p.Slice = ""; p.note("porcupine's page of the failing slice") },
		func() { p.Plan = ""; p.note("the plan (see plan.json)") },
		func() { p.Figures = nil; p.note("the plots (see plots/)") },
		func() { p.Commands = nil; p.note("the table of commands (see trace.jsonl)") },
		func() {
			for i := range p.Stories {
				p.Stories[i].Steps = nil
			}
			p.note("the violations step by step")
		},
		func() { p.Timeline = template.JS(timeline.Empty); p.note("the timeline") },
	} {
		drop()
		b.Reset()
		if err := pageTemplate.Execute(&b, p); err != nil {
			return nil, err
		}
		if b.Len() <= maxPage {
			break
		}
	}
	return b.Bytes(), nil
}

func (p *runPage) note(s string) { p.Notes = append(p.Notes, s) }

func newPage(v *view.View) (*runPage, error) {
	h := v.History.Header
	p := &runPage{View: v, CSS: template.CSS(page.CSS + pageCSS), Drawing: drawing(),
		Unpack: template.JS(page.Unpack)}
	p.Title = page.Clean(h.Impl+" under "+h.Nemesis, 120) + ": " + v.Answer().Word
	rows := v.Properties()
	for _, row := range rows[:min(len(rows), maxRows)] {
		if row.State == "na" {
			p.Apart = append(p.Apart, row)
		} else {
			p.Properties = append(p.Properties, row)
		}
	}
	p.verdict(v)
	t := timeline.New(v)
	data, err := t.JSON()
	if err != nil {
		return nil, err
	}
	p.Timeline, p.Legend = template.JS(data), len(t.Overlaps) > 0
	p.Notes = append(p.Notes, t.Left...)
	p.Together = slices.ContainsFunc(t.Overlaps, func(o timeline.Overlap) bool { return !o.Point })
	for i, w := range v.Violations[:min(len(v.Violations), maxStories)] {
		s, err := newStory(v, w, i)
		if err != nil {
			return nil, err
		}
		s.Later = i > 0
		p.Stories = append(p.Stories, s)
	}
	if w := v.Spared(); w != nil && len(p.Stories) == 0 {
		s, err := newStory(v, w, 0)
		if err != nil {
			return nil, err
		}
		s.ID, s.Title = "fault", "no judged property was violated when the fault struck"
		p.Stories = append(p.Stories, s)
	}
	if w := v.First(); w != nil {
		p.Why = units.Upper(w.Cause())
	}
	p.Whose = view.Whose(v)
	if p.Remedy, err = Remedy(v); err != nil {
		return nil, err
	}
	p.clients(v)
	if p.Known, err = known(v); err != nil {
		return nil, err
	}
	p.commands(v)
	p.addFacts(v)
	p.slice(v)
	figs, err := figure.Telling(v)
	if err != nil {
		return nil, err
	}
	p.Figures, err = figure.Show(figs)
	return p, err
}

// PlotsPage returns a page of the plots of a run, and the content security policy of the page.
func PlotsPage(v *view.View) (body []byte, policy string, err error) {
	figs, err := figure.Telling(v)
	if err != nil {
		return nil, "", err
	}
	p := struct {
		Title string
		Plots []figure.Shown
		CSS   template.CSS
	}{Title: page.Clean(v.History.Header.Impl+" under "+v.History.Header.Nemesis, 120),
		CSS: template.CSS(page.CSS + pageCSS)}
	if p.Plots, err = figure.Show(figs); err != nil {
		return nil, "", err
	}
	var b bytes.Buffer
	err = plotsTemplate.Execute(&b, p)
	return b.Bytes(), page.PolicyFor(), err
}

// Violations returns the number of violations to show.
func (p *runPage) Violations() int { return len(p.Stories) }

// AnyDuring reports whether a command of the table fell into the overlap.
func (p *runPage) AnyDuring() bool {
	return slices.ContainsFunc(p.Commands, func(c commandRow) bool { return c.During })
}
