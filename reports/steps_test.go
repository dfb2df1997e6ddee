package reports

import (
	_ "embed"
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/run/store"
	"github.com/lockbench/lockbench/reports/reporttest"
)

const stepOf = `(+document.getElementById('steps').dataset.step || 0)`

func TestKeysStepThroughTheEvents(t *testing.T) {
	b := reporttest.NewBrowser(t)
	open(b, render(t, reporttest.NewRun(t, reporttest.Scene{Clients: 4, Cycles: 14, Fail: true})))
	if got := reporttest.Eval[string](b, `document.querySelector('.said').textContent`); !strings.
		Contains(got, "both inside") {
		t.Errorf("starts at %q, not at the violation", got)
	}
	press(b, kb.ArrowRight)
	first := reporttest.Eval[int](b, stepOf)
	press(b, kb.ArrowRight+kb.ArrowRight+kb.ArrowLeft)
	if got := reporttest.Eval[int](b, stepOf); got != first+1 {
		t.Errorf("→→← goes from step %d to %d", first, got)
	}
	press(b, kb.End)
	last := reporttest.Eval[int](b, stepOf)
	if hash := reporttest.Eval[string](b, `location.hash`); last < 50 || !strings.HasPrefix(hash,
		"#step=") {
		t.Errorf("End is step %d, the URL ends with %q", last, hash)
	}
	press(b, kb.Home)
	if got := reporttest.Eval[int](b, stepOf); got != 1 {
		t.Errorf("Home is step %d", got)
	}
	b.Do(chromedp.Click(`[data-step-do="next"]`))
	b.WaitFor(stepOf + ` === 2`)
	b.Clean()
}

func TestAStepSaysWhatIsSo(t *testing.T) {
	b := reporttest.NewBrowser(t)
	open(b, render(t, reporttest.NewRun(t, reporttest.Scene{Clients: 4, Cycles: 14, Fail: true})))
	reporttest.Eval[string](b, `location.hash = '#step=17'`)
	b.WaitFor(stepOf + ` === 17`)
	state := reporttest.Eval[string](b, `document.querySelector('.state').innerText`)
	for _, want := range []string{"client 0", "n0", "master", "lock:0 = ", "Under way"} {
		if !strings.Contains(state, want) {
			t.Errorf("step 17 does not say %q:\n%s", want, state)
		}
	}
	// each hold is inside, each with its lease, and the lines beside it are in the order of time
	inside := reporttest.Eval[bool](b, `(() => {
		for (let i = 0; i < 400; i++) {
			const said = document.querySelector('.state').innerText;
			if (/inside, lease for [0-9.]+ m?s/.test(said)) return true;
			document.querySelector('[data-step-do="next"]').click();
		}
		return false;
	})()`)
	if !inside {
		t.Error("no step says that a client is inside, and for how long its lease lasts")
	}
	if ordered := reporttest.Eval[bool](b, `[...document.querySelectorAll('.steplist .t')]
		.every((e, i, all) => !i || +e.textContent >= +all[i - 1].textContent)`); !ordered {
		t.Error("the steps are not in the order of time")
	}
	b.Clean()
}

// TestStepsAreFiltered: words and the box of the violation leave only the steps that fit, also with
// the keyboard, and a link to a step that is hidden shows all again.
func TestStepsAreFiltered(t *testing.T) {
	b := reporttest.NewBrowser(t)
	open(b, render(t, reporttest.NewRun(t, reporttest.Scene{Clients: 4, Cycles: 14, Fail: true})))
	const texts = `[...document.querySelectorAll('.steplist button')].map(e => e.textContent)`
	search := func(words string) {
		reporttest.Eval[bool](b, fmt.Sprintf(`(e => (e.focus(), e.value = %q, e.dispatchEvent(
			new Event('input'))))(document.querySelector('#steps input[type="search"]'))`, words))
	}
	search("client 1 SET")
	shown := reporttest.Eval[[]string](b, texts)
	for _, s := range shown {
		if !strings.Contains(s, "client 1") || !strings.Contains(s, "SET") {
			t.Errorf("shows %q", s)
		}
	}
	if len(shown) == 0 {
		t.Error("no step is left")
	}
	search("nothing has this")
	if said := reporttest.Eval[string](b, `document.querySelector('.said').textContent`); !strings.
		Contains(said, "No step") {
		t.Errorf("says %q", said)
	}
	reporttest.Eval[string](b, `location.hash = '#step=17'`)
	b.WaitFor(stepOf + ` === 17`)
	count := `+/of (\d+)/.exec(document.querySelector('.said').textContent)[1]`
	all := reporttest.Eval[int](b, count)
	reporttest.Eval[string](b, `document.querySelector('#steps input[type="checkbox"]').click() || ''`)
	if few := reporttest.Eval[int](b, count); few < 3 || few > all/2 {
		t.Errorf("of %d steps %d are of the violation", all, few)
	}
	b.Clean()
}

// TestHostileTextsStayTexts steps through a record that is full of markup.
func TestHostileTextsStayTexts(t *testing.T) {
	b := reporttest.NewBrowser(t)
	open(b, render(t, reporttest.HostileRun(t)))
	before := reporttest.Eval[int](b, `document.querySelectorAll('script, img, iframe, a').length`)
	press(b, kb.End+kb.ArrowLeft+kb.ArrowLeft+kb.Home)
	if n := reporttest.Eval[int](b,
		`document.querySelectorAll('script, img, iframe, a').length`); n != before {
		t.Errorf("stepping makes %d elements of %d", n, before)
	}
	b.Clean()
}

// contrasts are all texts and marks of the timeline whose contrast to what is behind them is too
// low, as "what ratio".
//
//go:embed testdata/contrast.js
var contrasts string

func TestContrast(t *testing.T) {
	for _, name := range []string{"light", "dark"} {
		b := reporttest.NewBrowser(t)
		b.Do(scheme(name))
		open(b, render(t, reporttest.NewRun(t, reporttest.Scene{Clients: 4, Cycles: 14, Fail: true})))
		press(b, "0")
		if low := reporttest.Eval[[]string](b, contrasts); len(low) > 0 {
			t.Errorf("%s: too little contrast: %q", name, low)
		}
	}
}

// beside says what of the sequence diagram is beyond its frame or covers a neighbour's name, and
// whether its hint is wrong.
const beside = `(s => {
	const box = e => e.getBoundingClientRect(), frame = box(s);
	const names = [...s.querySelectorAll('.who')];
	const out = [...s.querySelectorAll('text, g > rect, svg > rect')].filter(e =>
		box(e).left < frame.left || box(e).right > frame.right + 1);
	const over = names.filter((e, i) => i && box(e).left < box(names[i - 1]).right);
	const hint = s.previousElementSibling.checkVisibility();
	return out.concat(over).map(e => e.outerHTML).join('; ') ||
		(hint === s.scrollWidth > s.clientWidth ? '' : 'the hint is wrong');
})(document.querySelector('.story .scroll'))`

// TestANarrowWindow has all of the page within 400 pixels, but for what scrolls by itself.
func TestANarrowWindow(t *testing.T) {
	b := reporttest.NewBrowser(t)
	b.Do(reporttest.Width(400))
	open(b, render(t, reporttest.NewRun(t, reporttest.Scene{Clients: 40, Cycles: 60, Fail: true})))
	if wide := reporttest.Eval[int](b, `document.documentElement.scrollWidth`); wide > 400 {
		t.Errorf("the page is %d pixels wide, because of %q", wide, reporttest.Eval[[]string](b,
			`[...document.querySelectorAll('body *')].filter(e => !e.closest('.scroll, svg') &&
				e.getBoundingClientRect().right > 400).map(e => e.tagName + '.' + e.className)`))
	}
	if wide := reporttest.Eval[string](b, beside); wide != "" {
		t.Errorf("of the sequence diagram %s", wide)
	}
	if n := reporttest.Eval[int](b, `document.querySelectorAll('.lanelabel').length`); n != 42 {
		t.Errorf("%d lanes, want 42", n)
	}
	b.Clean()
}

// TestThePictureIsOnTheFirstScreen has the answer, the cause, the repair and at least the upper
// half of the picture in the window. On paper the repair is not folded.
func TestThePictureIsOnTheFirstScreen(t *testing.T) {
	b := reporttest.NewBrowser(t)
	open(b, render(t, reporttest.NewRun(t, reporttest.Scene{Clients: 4, Cycles: 14, Fail: true,
		Plan: `{"format":2,"environment":"sim","topology":"failover","impl":"getset",
			"nemesis":"failover","workload":"mutex","clients":4,"keys":1,"ttl":"2s","hold":"201ms",
			"poll":"67ms","acquire_timeout":"5s","client_timeout":"250ms","for":"10s",
			"expect":"valid","properties":["S","L"]}`})))
	if low := reporttest.Eval[float64](b,
		`(r => (r.top + r.bottom) / 2 - innerHeight)(document.querySelector('.story .seq').`+
			`getBoundingClientRect())`); low > 0 {
		t.Errorf("the middle of the picture is %v pixels below the window", low)
	}
	const unfolded = `document.querySelector('header details p').checkVisibility(` +
		`{contentVisibilityAuto: true})`
	if reporttest.Eval[bool](b, unfolded) {
		t.Error("the repair is unfolded on the screen")
	}
	b.Do(paper())
	b.WaitFor(unfolded)
	b.Clean()
}

func TestPrintsOnTwoPages(t *testing.T) {
	b := reporttest.NewBrowser(t)
	open(b, render(t, reporttest.NewRun(t, reporttest.Scene{Clients: 4, Cycles: 14, Fail: true,
		Plan: `{"format":2,"impl":"getset","nemesis":"failover"}`})))
	if n := printed(b); n < 1 || n > 2 {
		b.Do(paper(), reporttest.Width(720))
		t.Errorf("the report prints on %d pages: %q", n, reporttest.Eval[[]string](b,
			`[...document.querySelectorAll('header, section, section > *')]
				.map(e => (e.id || e.className) + ' ' + e.offsetHeight)`))
	}
}

// TestAPhaseIsReadableOnAPhone opens the steps in 400 pixels: no cell is so narrow that its words
// break within a letter's width.
func TestAPhaseIsReadableOnAPhone(t *testing.T) {
	b := reporttest.NewBrowser(t)
	b.Do(reporttest.Width(400))
	open(b, render(t, reporttest.NewRun(t, reporttest.Scene{Clients: 40, Cycles: 60, Fail: true})))
	press(b, "0")
	press(b, "nnnnnnnnnnnnnnnn")
	if narrow := reporttest.Eval[[]string](b, `[...document.querySelectorAll('.at td')].filter(`+
		`e => e.offsetParent && e.textContent && e.clientWidth < 120).map(`+
		`e => e.clientWidth + ' px: ' + e.textContent)`); len(narrow) > 0 {
		t.Errorf("%q", narrow)
	}
	if n := reporttest.Eval[int](b, `document.querySelectorAll('.at td').length`); n < 3 {
		t.Errorf("%d cells", n)
	}
}

// votes is a made-up run of forty clients and some servers: one client has all votes from 0.01 s
// on, and is inside until another has them, too; no fault is in the record.
func votes(t testing.TB, servers int) *store.Run {
	r := &store.Run{Plan: []byte(`{"format":2}`), History: &history.History{Header: history.Header{
		Type: "header", Format: history.Format, Impl: "votes", Nemesis: "none", Workload: "mutex",
		Clients: 40, Keys: 1, TTL: 1e8, Declares: history.Declares{Lease: true},
		Names: []string{"lock:0"}, Properties: []string{"S", "L"}}}}
	add := func(e history.Event, client int) {
		e.Process, e.N, e.Key = client, 1, history.Ptr(0)
		r.History.Events = append(r.History.Events, e)
	}
	for c := range 40 {
		add(history.Event{Type: history.Invoke, F: history.Acquire, T: int64(1+c) * 1e5}, c)
		won := map[int]int64{0: 10e6, 1: 150e6}[c]
		for n := range servers {
			m := history.Command{Process: c, Seq: n + 1, N: 1, Node: fmt.Sprintf("n%d", n),
				Sent: int64(1+c)*1e5 + 1e4, Recv: int64(1+c)*1e5 + 5e6, Reply: "(nil)",
				Args: []string{"SET", "lock:0", fmt.Sprintf("%032x", c+1), "NX", "PX", "100"}}
			if won > 0 {
				m.Sent, m.Recv, m.Reply = won-2e6, won-1e6, "OK"
			}
			r.Trace = append(r.Trace, m)
		}
		if won > 0 {
			add(history.Event{Type: history.OK, F: history.Acquire, T: won,
				Grant: &history.Grant{Sent: won - 2e6, Lease: 1e8}}, c)
		} else {
			add(history.Event{Type: history.Fail, F: history.Acquire, T: 300e6 + int64(c)}, c)
		}
	}
	r.History.Events = append(r.History.Events, history.Event{Type: history.End, T: 310e6,
		Process: history.Harness})
	r.History.Sort()
	r.Verdict = checker.Check(r.History, r.Trace, checker.Options{})
	return r
}

// TestSevenLanesFitAPhone draws two clients and five servers in 400 pixels: the picture does not
// scroll, and each name is within its lane.
func TestSevenLanesFitAPhone(t *testing.T) {
	b := reporttest.NewBrowser(t)
	b.Do(reporttest.Width(400))
	open(b, render(t, votes(t, 5)))
	if n := reporttest.Eval[int](b, `document.querySelectorAll('.seq .who').length`); n != 7 {
		t.Errorf("%d lanes, want 7", n)
	}
	if wide := reporttest.Eval[int](b, `(s => s.scrollWidth - s.clientWidth)(`+
		`document.querySelector('.story .scroll'))`); wide > 0 {
		t.Errorf("the picture is %d pixels too wide", wide)
	}
	if out := reporttest.Eval[[]string](b, `[...document.querySelectorAll('.seq .name')].filter(`+
		`e => e.getBoundingClientRect().width > e.previousElementSibling.getBoundingClientRect().width)`+
		`.map(e => e.textContent)`); len(out) > 0 {
		t.Errorf("names wider than their lanes: %q", out)
	}
	b.Clean()
}

// TestTenServersAndFortyClients has every vote at the cursor, each client's phase, no fault, and
// two pages of paper.
func TestTenServersAndFortyClients(t *testing.T) {
	b := reporttest.NewBrowser(t)
	open(b, render(t, votes(t, 10)))
	state := reporttest.Eval[string](b, `document.querySelector('.state').innerText`)
	for _, want := range []string{"inside, lease over since 42 ms", "inside, lease for 98 ms",
		"38 wait", "clients 2 to 39, the longest for 150 ms"} {
		if !strings.Contains(state, want) {
			t.Errorf("the violation's step does not say %q:\n%s", want, state)
		}
	}
	if n := strings.Count(state, "(client 1), expires in 99 ms"); n != 10 {
		t.Errorf("%d of ten votes of client 1:\n%s", n, state)
	}
	press(b, "0")
	if n := reporttest.Eval[int](b, `document.querySelectorAll('.tlsvg .key').length`); n != 20 {
		t.Errorf("%d keys are drawn, want those of two clients on ten servers", n)
	}
	if low := reporttest.Eval[[]string](b, contrasts); len(low) > 0 {
		t.Errorf("too little contrast: %q", low)
	}
	if n := printed(b); n > 2 {
		t.Errorf("the report prints on %d pages", n)
	}
	b.Do(reporttest.Width(400))
	if !reporttest.Eval[bool](b, `(s => s.scrollWidth > s.clientWidth &&
		s.previousElementSibling.checkVisibility())(document.querySelector('.story .scroll'))`) {
		t.Error("the sequence diagram does not say above it that it goes on to the right")
	}
	b.Clean()
}
