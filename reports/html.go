package reports

import (
	"bytes"
	_ "embed"
	"html/template"
	"io"
	"slices"

	"github.com/lockbench/lockbench/history"
	"github.com/lockbench/lockbench/reports/page"
)

var (
	//go:embed report.html.tmpl
	reportHTML string
	//go:embed base.css
	baseCSS string
	//go:embed report.css
	reportCSS string
	//go:embed timeline.js
	timelineJS string

	reportTemplate = template.Must(template.New("report").Parse(reportHTML))
)

// maxPage is the size that a page may have; what costs most and says least is dropped until it
// fits.
const maxPage = 2_000_000

// maxStories and maxRows bound what a verdict and a header that are not ours may list.
const (
	maxStories = 12
	maxRows    = 40
)

// emptyTimeline is what timeline.js draws if there was no room for more.
const emptyTimeline = `{"end":1,"view":[0,1],"keys":1,"lanes":[],"faults":[],"overlaps":[]}`

// runPage is what the template shows. Strings are escaped by the template; the fields of template
// types are made by this package, which escapes in them what comes from the record.
type runPage struct {
	Title, Question string
	Answer          answer
	Expectation     string
	Header          history.Header
	Subtitle        string
	Properties      []propertyRow
	Apart           []propertyRow // that do not apply
	Evidence        []evidenceRow
	Stories         []story
	Caveats         []string // what the environment cannot do, and a reader must know
	Commands        []commandRow
	CommandsTitle   string
	CommandsLeft    string
	Timeline        template.JS
	Notes           []string // what was left out
	Legend          bool     // a violation is marked
	Together        bool     // somewhere two are inside
	Figures         []shownFigure
	Declares        []declareRow
	Versions        [][2]string
	Facts           [][2]string
	Plan            string
	Command         string
	Slice           string // porcupine's page; the template escapes it for srcdoc
	Porcupine       string
	CSS             template.CSS
	JS              template.JS
	CSP             string
	Broke           string
}

type shownFigure struct {
	Title string
	SVG   template.HTML
}

// story is a violation, told in words and drawn.
type story struct {
	ID, Title string
	Words     []string
	Steps     []step
	StepsLeft int
	Sequence  template.HTML
}

// WriteHTML writes the report of a run as one self-contained page.
func WriteHTML(w io.Writer, r *View) error {
	body, _, err := Page(r)
	if err == nil {
		_, err = w.Write(body)
	}
	return err
}

// Page is the report of a run, and the policy that it asks a browser to enforce, which a server can
// send with it.
func Page(r *View) (body []byte, policy string, err error) {
	p, err := newPage(r)
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
		func() { p.Plan = ""; p.note("the plan, which is in plan.json") },
		func() { p.Figures = nil; p.note("the plots, which are in plots/") },
		func() { p.Commands = nil; p.note("the table of commands, which are in trace.jsonl") },
		func() {
			for i := range p.Stories {
				p.Stories[i].Steps = nil
			}
			p.note("the violations step by step")
		},
		func() { p.Timeline = template.JS(emptyTimeline); p.note("the timeline") },
	} {
		drop()
		b.Reset()
		if err := reportTemplate.Execute(&b, p); err != nil {
			return nil, err
		}
		if b.Len() <= maxPage {
			break
		}
	}
	return b.Bytes(), nil
}

func (p *runPage) note(s string) { p.Notes = append(p.Notes, s) }

func newPage(r *View) (*runPage, error) {
	h := r.History.Header
	ws := r.violations
	p := &runPage{Header: h, Question: question(h), Answer: answerOf(r), CSS: template.CSS(baseCSS +
		reportCSS), JS: template.JS(timelineJS)}
	p.Title = page.Clean(h.Impl+" under "+h.Nemesis, 120) + ": " + p.Answer.Word
	p.Subtitle = subtitle(r)
	p.Evidence, p.Declares = evidenceRows(r), declareRows(r)
	rows := propertyRows(r)
	for _, row := range rows[:min(len(rows), maxRows)] {
		if row.State == "na" {
			p.Apart = append(p.Apart, row)
		} else {
			p.Properties = append(p.Properties, row)
		}
	}
	p.verdict(r)
	t := newTimeline(r)
	data, err := t.json()
	if err != nil {
		return nil, err
	}
	p.Timeline, p.Legend = template.JS(data), len(t.Overlaps) > 0
	p.Notes = append(p.Notes, t.left...)
	p.Together = slices.ContainsFunc(t.Overlaps, func(o overlap) bool { return !o.Point })
	p.Caveats = caveats(r)
	for i, w := range ws[:min(len(ws), maxStories)] {
		p.Stories = append(p.Stories, newStory(r, w, i))
	}
	p.commands(r)
	p.about(r)
	p.slice(r)
	return p, p.plots(r)
}

func (p *runPage) plots(r *View) error {
	figs, err := figures(r)
	if err != nil {
		return err
	}
	for i := range figs {
		svg, err := figs[i].inline()
		if err != nil {
			return err
		}
		p.Figures = append(p.Figures, shownFigure{figs[i].Title, svg})
	}
	return nil
}

// Violations is how many there are to show.
func (p *runPage) Violations() int { return len(p.Stories) }

// AnyDuring reports whether a command of the table fell into the overlap.
func (p *runPage) AnyDuring() bool {
	return slices.ContainsFunc(p.Commands, func(c commandRow) bool { return c.During })
}

// State is the answer's class in the style sheet.
func (a answer) State() string { return page.State(a.Result) }
