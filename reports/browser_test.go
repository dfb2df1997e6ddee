package reports

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/lockbench/lockbench/reports/reporttest"
)

func TestPageInABrowser(t *testing.T) {
	b := reporttest.NewBrowser(t)
	r := reporttest.NewRun(t, reporttest.Scene{Clients: 4, Cycles: 14, Fail: true})
	open(b, render(t, r))

	if box := reporttest.Eval[[]float64](b,
		`(r => [r.width, r.height])(document.querySelector('#overlap `+
			`.both').getBoundingClientRect())`); box[0] < 20 || box[1] < 10 {
		t.Errorf("the overlap is drawn as %v pixels", box)
	}
	if got := reporttest.Eval[string](b, `document.querySelector('.bothtext').textContent`); !strings.
		HasPrefix(
			got, "both inside, ") {
		t.Errorf("the overlap is labelled %q", got)
	}
	w := reporttest.View(t, r).First()
	start := span(b)
	if start[0] > w.From/1000 || start[1] < w.To/1000 ||
		start[1]-start[0] > r.History.Events[len(r.History.Events)-1].T/2000 {
		t.Errorf("starts with %v, the overlap is from %d to %d", start, w.From/1000, w.To/1000)
	}
	if got, want := reporttest.Eval[int](b, `document.querySelectorAll('.lanelabel').length`),
		4+2; got != want {
		t.Errorf("%d lanes, want %d", got, want)
	}
	b.Clean()
}

func TestKeysMoveTheTimeline(t *testing.T) {
	b := reporttest.NewBrowser(t)
	open(b, render(t, reporttest.NewRun(t, reporttest.Scene{Clients: 4, Cycles: 14, Fail: true})))
	width := func(s [2]int64) int64 { return s[1] - s[0] }
	start := span(b)
	press(b, "+")
	in := span(b)
	if got, want := width(in), width(start)/2; got < want-2 || got > want+2 {
		t.Errorf("+ shows %d µs, want %d", got, want)
	}
	press(b, "-")
	if out := span(b); width(out) < width(start)-2 {
		t.Errorf("- shows %v, want %v again", out, start)
	}
	press(b, "+]")
	if right := span(b); right[0] <= in[0] {
		t.Errorf("] goes from %v to %v", in, right)
	}
	press(b, "0")
	if all := span(b); all[0] != 0 || width(all) <= width(start) {
		t.Errorf("0 shows %v, not the whole run", all)
	}
	if n := reporttest.Eval[int](b, `document.querySelectorAll('#overlap').length`); n != 1 {
		t.Errorf("the whole run shows %d overlaps", n)
	}
	press(b, "v")
	if back := span(b); back != start {
		t.Errorf("v shows %v, want %v", back, start)
	}
	press(b, "n")
	if got := reporttest.Eval[string](b, `document.getElementById("range").textContent`); !strings.
		Contains(got,
			"acquisition") {
		t.Errorf("n says %q", got)
	}
	b.Do(chromedp.Click(`[data-do="all"]`))
	b.WaitFor(`+tl.dataset.from === 0`)
	b.Clean()
}

func TestPorcupinesPageIsFilledWhenSeen(t *testing.T) {
	r := reporttest.NewRun(t, reporttest.Scene{Clients: 4, Cycles: 14, Fail: true})
	if _, ok := r.Verdict.Visual(); !ok {
		t.Fatal("the verdict has no picture of its slice")
	}
	b := reporttest.NewBrowser(t)
	open(b, render(t, r))
	b.Do(chromedp.ScrollIntoView("iframe.slice"))
	b.WaitFor(`document.querySelector('iframe.slice').srcdoc.includes('<title>Porcupine</title>')`)
	b.Clean()
}

// TestABrowserThatInflatesNothingSaysSo reads a page whose timeline cannot be inflated.
func TestABrowserThatInflatesNothingSaysSo(t *testing.T) {
	page := render(t, reporttest.NewRun(t, reporttest.Scene{Clients: 4, Cycles: 14, Fail: true}))
	b := reporttest.NewBrowser(t)
	b.Load(strings.Replace(page, `id="drawing">"`, `id="drawing">"////`, 1))
	b.WaitFor(`tl.textContent.startsWith('This browser is too old')`)
	b.Clean()
}
