package reports

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/history"
)

var (
	//go:embed report.html.tmpl
	reportHTML string
	//go:embed report.css
	reportCSS string
	//go:embed timeline.js
	timelineJS string

	reportTemplate = template.Must(template.New("report").Parse(reportHTML))
)

// maxPage is the size that a page may have; what costs most and says least is dropped until it fits.
const maxPage = 2_000_000

// page is what the template shows. Strings are escaped by the template; the fields of template types are made by this
// package, which escapes in them what comes from the record.
type page struct {
	Title, Question string
	Answer          answer
	Expectation     string
	Header          history.Header
	Subtitle        string
	Properties      []propertyRow
	Evidence        []evidenceRow
	Words           string
	Class           string
	Steps           []step
	StepsLeft       int
	Sequence        template.HTML
	Commands        []commandRow
	CommandsTitle   string
	CommandsLeft    string
	Timeline        template.JS
	Notes           []string // what was left out
	Legend          bool     // an overlap is marked
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

// WriteHTML writes the report of a run as one self-contained page.
func WriteHTML(w io.Writer, r Run) error {
	if r.History == nil {
		return errNoHistory
	}
	p, err := newPage(r)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	for _, drop := range []func(){
		func() {},
		func() { p.Slice = ""; p.note("porcupine's page of the failing slice") },
		func() { p.Plan = ""; p.note("the plan, which is in plan.json") },
		func() { p.Figures = nil; p.note("the plots, which are in plots/") },
		func() { p.Commands = nil; p.note("the table of commands, which are in trace.jsonl") },
	} {
		drop()
		b.Reset()
		if err := reportTemplate.Execute(&b, p); err != nil {
			return err
		}
		if b.Len() <= maxPage {
			break
		}
	}
	_, err = w.Write(b.Bytes())
	return err
}

func (p *page) note(s string) { p.Notes = append(p.Notes, s) }

func newPage(r Run) (*page, error) {
	h := r.History.Header
	f, w := collect(r.History), witnessIn(r)
	p := &page{Header: h, Question: question(h), Answer: answerOf(r), CSS: template.CSS(reportCSS), JS: template.JS(timelineJS)}
	p.Title = clean(h.Impl+" under "+h.Nemesis, 120) + ": " + p.Answer.Word
	p.Subtitle = subtitle(h, f)
	p.Properties, p.Evidence, p.Declares = propertyRows(r), evidenceRows(r, f), declareRows(r, f)
	p.verdict(r)
	t := newTimeline(r, f, w)
	data, err := t.json()
	if err != nil {
		return nil, err
	}
	p.Timeline, p.Legend = template.JS(data), len(t.Overlaps) > 0
	p.Notes = append(p.Notes, t.left...)
	if w != nil {
		p.story(r, f, w)
	}
	p.commands(r, f, w)
	p.about(r)
	p.slice(r)
	return p, p.plots(r, f, w)
}

func subtitle(h history.Header, f *facts) string {
	parts := []string{count(len(f.clients), "client"), count(max(1, h.Keys), "lock")}
	if h.TTL > 0 {
		parts = append(parts, "lease "+short(h.TTL.D()))
	}
	if h.Workload != "" {
		parts = append(parts, "workload "+clean(h.Workload, 40))
	}
	if h.World != "" {
		parts = append(parts, "world "+clean(h.World, 40))
	} else {
		parts = append(parts, "an imported history")
	}
	if h.Started != "" {
		parts = append(parts, startedAt(h.Started))
	}
	return strings.Join(parts, " · ")
}

// startedAt writes an RFC 3339 time for people, to the second; anything else as it is.
func startedAt(s string) string {
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return clean(s, 40)
	}
	return t.Format("2006-01-02 15:04:05 MST")
}

// verdict adds whether this was expected, and what broke.
func (p *page) verdict(r Run) {
	v := r.Verdict
	if v == nil {
		return
	}
	if v.Expect != "" {
		p.Expectation = "Expected: " + clean(v.Expect, 40)
		if v.AsExpected {
			p.Expectation += ". This is as expected."
		} else {
			p.Expectation += ". This is not as expected."
		}
	}
	p.Broke = clean(v.Broke, 400)
	if q := v.Porcupine; q.Result != "" {
		p.Porcupine = fmt.Sprintf("%s says %s over %s in %s", judge(q.Version), clean(q.Result, 20), count(q.Operations, "operation"), short(q.Took.D()))
	}
}

func (p *page) story(r Run, f *facts, w *witness) {
	p.Words, p.Class = clean(w.words, 4000), clean(w.class, 80)
	p.Steps, p.StepsLeft = stepsOf(r, f, w)
	if len(p.Steps) > 1 {
		p.Sequence = drawSequence(p.Steps, w, p.Steps[len(p.Steps)-1].T-p.Steps[0].T)
	}
}

func (p *page) about(r Run) {
	h := r.History.Header
	for k, v := range h.Versions {
		p.Versions = append(p.Versions, [2]string{clean(k, 40), clean(v, 80)})
	}
	slices.SortFunc(p.Versions, func(a, b [2]string) int { return strings.Compare(a[0], b[0]) })
	add := func(name, value string) {
		if value != "" && value != "0s" && value != "0" {
			p.Facts = append(p.Facts, [2]string{name, clean(value, 200)})
		}
	}
	add("lock", h.Impl)
	add("fault", h.Nemesis)
	add("workload", h.Workload)
	add("world", h.World)
	add("topology", h.Topology)
	p.Facts = append(p.Facts, [2]string{"seed", fmt.Sprint(h.Seed)})
	add("lease (TTL)", h.TTL.String())
	add("poll", h.Poll.D().Round(time.Microsecond).String())
	add("assumed clock drift", fmt.Sprint(h.Drift))
	add("started", h.Started)
	p.Command = clean(h.Command, 2000)
	var b bytes.Buffer
	if json.Indent(&b, r.Plan, "", "  ") == nil && b.Len() > 0 {
		p.Plan = printable(b.String())
		if len(p.Plan) > 200_000 {
			p.Plan = p.Plan[:200_000] + "\n…"
			p.note("the rest of the plan, which is in plan.json")
		}
	}
}

// printable is clean for text of several lines.
func printable(s string) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		lines[i] = clean(l, 0)
	}
	return strings.Join(lines, "\n")
}

var scripts = regexp.MustCompile(`(?s)<script>(.*?)</script>`)

// slice embeds porcupine's page in a frame that may run nothing but porcupine's own scripts.
func (p *page) slice(r Run) {
	allowed := []string{timelineJS}
	b := r.Slice
	if b == nil && r.Verdict != nil {
		b, _ = r.Verdict.Visual()
	}
	if len(b) > 600_000 {
		p.note("porcupine's page of the failing slice, which is too large")
		b = nil
	}
	for _, m := range scripts.FindAllSubmatch(b, -1) {
		allowed = append(allowed, string(m[1]))
	}
	p.Slice = string(b)
	// No network, no forms, no scripts but these: even a text that escaped its escaping would do nothing.
	var hashes []string
	for _, s := range allowed {
		sum := sha256.Sum256([]byte(s))
		hashes = append(hashes, "'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'")
	}
	p.CSP = "default-src 'none'; base-uri 'none'; form-action 'none'; img-src data:; style-src 'unsafe-inline'; frame-src 'self'; script-src " + strings.Join(hashes, " ")
}

func (p *page) plots(r Run, f *facts, w *witness) error {
	figs, err := figures(r, f, w)
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

// AnyDuring reports whether a command of the table fell into the overlap.
func (p *page) AnyDuring() bool {
	return slices.ContainsFunc(p.Commands, func(c commandRow) bool { return c.During })
}

// State is the answer's class in the style sheet.
func (a answer) State() string { return state(a.Result) }

func state(r checker.Result) string {
	switch r {
	case checker.Violated, checker.Valid:
		return string(r)
	case checker.NA:
		return "na"
	}
	return "unknown"
}
