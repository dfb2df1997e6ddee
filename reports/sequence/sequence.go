// Package sequence tells a violation step by step, as a list and as a sequence diagram.
package sequence

import (
	"fmt"
	"html"
	"html/template"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/internal/units"
	"github.com/lockbench/lockbench/reports/page"
	"github.com/lockbench/lockbench/reports/view"
)

// The measures of the sequence diagram, in pixels.
const (
	seqTime  = 88  // the column of stamps
	seqCol   = 204 // between two lifelines, if there is room
	seqNear  = 116 // at least
	seqWide  = 1056
	seqRow   = 25
	seqRight = 150 // the column that names the overlap
	seqHead  = 44
	seqGap   = 20   // for a row that says how long nothing happened
	seqRune  = 6.35 // of a label
)

// sequence draws steps as a sequence diagram.
type sequence struct {
	strings.Builder
	n      int                // of the diagram on its page: the ids in it are its own
	x      map[string]float64 // lifelines
	names  []string
	nodes  []string // those of the names that are nodes
	col    float64  // between two lifelines
	width  float64
	y      []float64 // of each step
	height float64
}

// Draw returns the diagram as inline SVG; n is its number on the page. All of its text is escaped
// here, since SVG is built by hand.
func Draw(ss []Step, w *view.Violation, n int) template.HTML {
	span := ss[len(ss)-1].T - ss[0].T
	s := newSequence(ss, w, n)
	s.place(ss, span)
	fmt.Fprintf(s,
		`<svg class="seq" viewBox="0 0 %g %g" width="%g" height="%g" role="img" `+
			`aria-label="Sequence diagram of the violation; the list below tells it in words">`,
		s.width, s.height, s.width, s.height)
	fmt.Fprintf(s,
		`<defs><marker id="arrow%[1]d" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" `+
			`markerHeight="7" orient="auto-start-reverse"><path d="M0 0L8 4L0 8z" class="head"/></marker>`+
			`<pattern id="seqhatch%[1]d" width="7" height="7" patternTransform="rotate(45)" `+
			`patternUnits="userSpaceOnUse"><rect width="7" height="7" class="hatch0"/><rect `+
			`width="2.5" height="7" class="hatch1"/></pattern></defs>`, s.n)
	s.overlap(ss, w)
	s.lifelines()
	s.activations(ss, w)
	for i := range ss {
		s.step(ss, i, span)
	}
	s.WriteString(`</svg>`)
	return template.HTML(s.String())
}

// newSequence gives each client and each node a column: clients first, since they are the ones who
// are wronged.
func newSequence(ss []Step, w *view.Violation, n int) *sequence {
	s := &sequence{x: map[string]float64{}, n: n}
	var clients []int
	for _, h := range w.Holds {
		if !slices.Contains(clients, h.Process) {
			clients = append(clients, h.Process)
		}
	}
	for _, st := range ss {
		if st.Process >= 0 && !slices.Contains(clients, st.Process) {
			clients = append(clients, st.Process)
		}
		if st.Node != "" && !slices.Contains(s.nodes, st.Node) {
			s.nodes = append(s.nodes, st.Node)
		}
	}
	slices.SortFunc(s.nodes, view.CompareNames)
	// Around the nodes: the first holder to the left, the others to the right, so that few arrows
	// cross a lifeline.
	for i, c := range clients {
		if i == 0 {
			s.names = append(s.names, view.Who(c))
		}
	}
	s.names = append(s.names, s.nodes...)
	for i, c := range clients {
		if i > 0 {
			s.names = append(s.names, view.Who(c))
		}
	}
	s.col = min(seqCol, max(seqNear, (seqWide-seqTime-seqRight)/float64(max(1, len(s.names)))))
	for i, n := range s.names {
		s.x[n] = seqTime + s.col/2 + float64(i)*s.col
	}
	s.width = seqTime + float64(max(2, len(s.names)))*s.col + seqRight
	return s
}

// place gives each step its height; a long silence gets a row of its own.
func (s *sequence) place(ss []Step, span int64) {
	y := float64(seqHead + 20)
	for i := range ss {
		if i > 0 && silence(ss, i, span) {
			y += seqGap
		}
		s.y = append(s.y, y)
		y += seqRow
	}
	s.height = y + 8
}

// silence reports whether the time before a step is worth a remark.
func silence(ss []Step, i int, span int64) bool {
	return ss[i].T-ss[i-1].T > max(span/12, 2e6)
}

func (s *sequence) lifelines() {
	for _, n := range s.names {
		x := s.x[n]
		class := "client"
		if slices.Contains(s.nodes, n) {
			class = "node"
		}
		fmt.Fprintf(s,
			`<line class="life" x1="%g" x2="%g" y1="%d" y2="%g"/><rect class="who %s" x="%g" y="6" `+
				`width="110" height="26" rx="4"/><text class="name" x="%g" y="23" `+
				`text-anchor="middle">%s</text>`,
			x, x, 32, s.height-4, class, x-55, x, html.EscapeString(n))
	}
}

// overlap is the red band across the rows in which two clients are inside.
func (s *sequence) overlap(ss []Step, w *view.Violation) {
	first, last := -1, -1
	for i := range ss {
		if ss[i].During {
			if first < 0 {
				first = i
			}
			last = i
		}
	}
	if first < 0 {
		return
	}
	y0, y1 := s.y[first]-8, s.y[last]+8
	fmt.Fprintf(s, `<rect class="both" x="%d" y="%g" width="%g" height="%g" fill="url(#seqhatch%d)"/>`,
		seqTime-8, y0, s.width-seqRight-seqTime+16, max(4, y1-y0), s.n)
	fmt.Fprintf(s, `<text class="bothlabel" x="%g" y="%g" >both inside, %s</text>`,
		s.width-seqRight+16, (y0+y1)/2+4, units.Span(w.Overlap()))
}

// activations are the bars on the lifelines of the clients that are inside.
func (s *sequence) activations(ss []Step, w *view.Violation) {
	for _, h := range w.Holds {
		if h.N == 0 {
			continue
		}
		y0, y1 := -1.0, s.height-4
		for i := range ss {
			if ss[i].Process == h.Process && ss[i].Kind == stepInside && ss[i].T == h.From {
				y0 = s.y[i]
			}
			if ss[i].Process == h.Process && ss[i].Kind == stepLeaves && ss[i].T == h.To {
				y1 = s.y[i]
			}
		}
		if x, ok := s.x[view.Who(h.Process)]; ok {
			if y0 < 0 {
				y0 = seqHead // it was inside before the first step that is drawn
			}
			fmt.Fprintf(s, `<rect class="act" x="%g" y="%g" width="12" height="%g"/>`, x-6, y0,
				max(3, y1-y0))
		}
	}
}

func (s *sequence) step(ss []Step, i int, span int64) {
	st, y := ss[i], s.y[i]
	if i > 0 && silence(ss, i, span) {
		fmt.Fprintf(s, `<text class="gap" x="%d" y="%g" text-anchor="end">⋮ %s</text>`, seqTime-16,
			y-seqGap+2, units.Span(st.T-ss[i-1].T))
	}
	fmt.Fprintf(s, `<text class="t" x="%d" y="%g" text-anchor="end">%s</text><g><title>%s</title>`,
		seqTime-16, y+4, units.Micros(st.T), html.EscapeString(st.Words()))
	text := html.EscapeString(st.Text)
	switch st.Kind {
	case stepSend, stepReply:
		s.arrow(st, y)
	case stepFault:
		fmt.Fprintf(s,
			`<rect class="faultrow" x="%d" y="%g" width="%g" height="20" rx="3"/><text `+
				`class="faulttext" x="%d" y="%g">▲ %s</text>`,
			seqTime-4, y-10, s.width-seqRight-seqTime+8, seqTime+4, y+4, text)
	case stepItself:
		fmt.Fprintf(s, `<text class="note" x="%g" y="%g" text-anchor="middle">%s</text>`, s.x[st.Node],
			y+4, text)
	default:
		x, anchor, dx := s.x[view.Who(st.Process)], "start", 12.0
		if x > s.width-seqRight-s.col {
			anchor, dx = "end", -12
		}
		fmt.Fprintf(s, `<text class="note %s" x="%g" y="%g" text-anchor="%s">%s</text>`, st.Kind, x+dx,
			y+4, anchor, text)
	}
	s.WriteString(`</g>`)
}

// arrow draws a command or a reply between a client and a node, its label in the middle.
func (s *sequence) arrow(st Step, y float64) {
	from, to, class := s.x[view.Who(st.Process)], s.x[st.Node], "send"
	if st.Kind == stepReply {
		from, to, class = to, from, "reply"
		if st.Failed {
			class = "reply bad"
		}
	}
	if st.Node == "" {
		return
	}
	shift := 7.0
	if to < from {
		shift = -7
	}
	// From the client's end of the arrow, as far as the arrow goes.
	cx, anchor, dx := s.x[view.Who(st.Process)], "start", 15.0
	if s.x[st.Node] < cx {
		anchor, dx = "end", -15
	}
	room := max(s.x[st.Node]-cx, cx-s.x[st.Node]) - 28
	label := page.Clean(st.Text, int(room/seqRune))
	fmt.Fprintf(s,
		`<line class="%s" x1="%g" x2="%g" y1="%g" y2="%g" marker-end="url(#arrow%d)"/><text `+
			`class="msg %s" x="%g" y="%g" text-anchor="%s">%s</text>`,
		class, from+shift, to-shift, y, y, s.n, class, cx+dx, y-4, anchor, html.EscapeString(label))
}
