package reports

import (
	_ "embed"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/lockbench/lockbench/reports/reporttest"
)

const stepOf = `(+document.getElementById('steps').dataset.step || 0)`

func TestKeysStepThroughTheEvents(t *testing.T) {
	b := reporttest.NewBrowser(t)
	b.Open(render(t, reporttest.NewRun(t, reporttest.Scene{Clients: 4, Cycles: 14, Fail: true})))
	if got := reporttest.Eval[string](b, `document.querySelector('.said').textContent`); !strings.
		Contains(got, "both inside") {
		t.Errorf("starts at %q, not at the violation", got)
	}
	b.Press(kb.ArrowRight)
	first := reporttest.Eval[int](b, stepOf)
	b.Press(kb.ArrowRight + kb.ArrowRight + kb.ArrowLeft)
	if got := reporttest.Eval[int](b, stepOf); got != first+1 {
		t.Errorf("→→← goes from step %d to %d", first, got)
	}
	b.Press(kb.End)
	last := reporttest.Eval[int](b, stepOf)
	if hash := reporttest.Eval[string](b, `location.hash`); last < 50 || !strings.HasPrefix(hash,
		"#step=") {
		t.Errorf("End is step %d, the URL ends with %q", last, hash)
	}
	b.Press(kb.Home)
	if got := reporttest.Eval[int](b, stepOf); got != 1 {
		t.Errorf("Home is step %d", got)
	}
	b.Do(chromedp.Click(`[data-step-do="next"]`))
	b.Until(stepOf + ` === 2`)
	b.Clean()
}

func TestAStepSaysWhatIsSo(t *testing.T) {
	b := reporttest.NewBrowser(t)
	b.Open(render(t, reporttest.NewRun(t, reporttest.Scene{Clients: 4, Cycles: 14, Fail: true})))
	reporttest.Eval[string](b, `location.hash = '#step=17'`)
	b.Until(stepOf + ` === 17`)
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

// TestHostileTextsStayTexts steps through a record that is full of markup.
func TestHostileTextsStayTexts(t *testing.T) {
	b := reporttest.NewBrowser(t)
	b.Open(render(t, reporttest.HostileRun(t)))
	before := reporttest.Eval[int](b, `document.querySelectorAll('script, img, iframe, a').length`)
	b.Press(kb.End + kb.ArrowLeft + kb.ArrowLeft + kb.Home)
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
	for _, scheme := range []string{"light", "dark"} {
		b := reporttest.NewBrowser(t)
		b.Do(reporttest.Scheme(scheme))
		b.Open(render(t, reporttest.NewRun(t, reporttest.Scene{Clients: 4, Cycles: 14, Fail: true})))
		b.Press("0")
		if low := reporttest.Eval[[]string](b, contrasts); len(low) > 0 {
			t.Errorf("%s: too little contrast: %q", scheme, low)
		}
	}
}

// TestANarrowWindow has all of the page within 400 pixels, but for what scrolls by itself.
func TestANarrowWindow(t *testing.T) {
	b := reporttest.NewBrowser(t)
	b.Do(reporttest.Width(400))
	b.Open(render(t, reporttest.NewRun(t, reporttest.Scene{Clients: 40, Cycles: 60, Fail: true})))
	if wide := reporttest.Eval[int](b, `document.documentElement.scrollWidth`); wide > 400 {
		t.Errorf("the page is %d pixels wide, because of %q", wide, reporttest.Eval[[]string](b,
			`[...document.querySelectorAll('body *')].filter(e => !e.closest('.scroll, svg') &&
				e.getBoundingClientRect().right > 400).map(e => e.tagName + '.' + e.className)`))
	}
	if n := reporttest.Eval[int](b, `document.querySelectorAll('.lanelabel').length`); n != 42 {
		t.Errorf("%d lanes, want 42", n)
	}
	b.Clean()
}

func TestPrintsOnTwoPages(t *testing.T) {
	b := reporttest.NewBrowser(t)
	b.Open(render(t, reporttest.NewRun(t, reporttest.Scene{Clients: 4, Cycles: 14, Fail: true,
		Plan: `{"format":2,"impl":"getset","nemesis":"failover"}`})))
	if n := b.Printed(); n < 1 || n > 2 {
		b.Do(reporttest.Paper(), reporttest.Width(720))
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
	b.Open(render(t, reporttest.NewRun(t, reporttest.Scene{Clients: 40, Cycles: 60, Fail: true})))
	b.Press("0")
	b.Press("nnnnnnnnnnnnnnnn")
	if narrow := reporttest.Eval[[]string](b, `[...document.querySelectorAll('.at td')].filter(`+
		`e => e.offsetParent && e.textContent && e.clientWidth < 120).map(`+
		`e => e.clientWidth + ' px: ' + e.textContent)`); len(narrow) > 0 {
		t.Errorf("%q", narrow)
	}
	if n := reporttest.Eval[int](b, `document.querySelectorAll('.at td').length`); n < 42 {
		t.Errorf("%d cells", n)
	}
}
