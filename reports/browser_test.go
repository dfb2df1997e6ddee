package reports

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	cdplog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	cdpruntime "github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/lockbench/lockbench/internal/testenv"
)

// browser is a tab of a headless Chromium, and all that it had to complain about.
type browser struct {
	t   *testing.T
	ctx context.Context
	mu  sync.Mutex
	// complaints are errors, warnings and exceptions of the console; requests are all that went beyond
	// the page itself.
	complaints, requests []string
	allow                string // the address of a server that may be asked
}

func newBrowser(t *testing.T) *browser {
	testenv.Part(t, "chromium")
	// Debian's wrapper starts helpers that may outlive the test by a moment: a folder that t removes
	// would not be empty.
	dir, err := os.MkdirTemp("", "lockbench-chromium")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	opts := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath("chromium"),
		chromedp.NoSandbox, chromedp.DisableGPU, chromedp.UserDataDir(dir),
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true),
		chromedp.WindowSize(1280, 900))
	ctx, cancel := chromedp.NewExecAllocator(t.Context(), opts...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	b := &browser{t: t, ctx: ctx}
	if err := chromedp.Listen(ctx, b.hear); err != nil {
		t.Fatal(err)
	}
	if _, err := chromedp.Run(ctx, func(ctx context.Context, tab *chromedp.Target) (chromedp.Void,
		error) {
		_, err := cdp.Call(ctx, tab, network.Enable, network.EnableParams{})
		return chromedp.Void{}, err
	}); err != nil {
		t.Fatal(err)
	}
	return b
}

func (b *browser) hear(ev any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := ev.(type) {
	case *network.EventRequestWillBeSent:
		if u := e.Request.URL; !strings.HasPrefix(u, "file://") && !strings.HasPrefix(u, "data:") &&
			!strings.HasPrefix(u, "about:") && (b.allow == "" || !strings.HasPrefix(u, b.allow+"/")) {
			b.requests = append(b.requests, u)
		}
	case *cdpruntime.EventExceptionThrown:
		b.complaints = append(b.complaints, fmt.Sprintf("exception: %+v", e.ExceptionDetails))
	case *cdpruntime.EventConsoleAPICalled:
		b.complaints = append(b.complaints, fmt.Sprintf("console %s", e.Type))
	case *cdplog.EventEntryAdded:
		b.complaints = append(b.complaints, fmt.Sprintf("log %s: %s", e.Entry.Level, e.Entry.Text))
	}
}

// limit bounds one step. The first step of a context must not be bounded: its end would be the
// browser's.
func (b *browser) limit() (context.Context, context.CancelFunc) {
	return context.WithTimeout(b.ctx, time.Minute)
}

func (b *browser) do(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx, cancel := b.limit()
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		b.t.Fatal(err)
	}
}

// open loads a report and waits for its timeline.
func (b *browser) open(page string) {
	b.t.Helper()
	b.load(page)
	b.until(`document.querySelector('.tlsvg') !== null`)
}

func clickOn(selector string) chromedp.Action[chromedp.Void] { return chromedp.Click(selector) }
func typeInto(selector, s string) chromedp.Action[chromedp.Void] {
	return chromedp.SendKeys(selector, s)
}

func visit(url string) chromedp.Action[chromedp.Void] { return chromedp.Navigate(url) }

// keys presses keys by their names, on whatever has the focus.
func (b *browser) keys(names ...string) {
	b.t.Helper()
	for _, n := range names {
		b.do(chromedp.KeyEvent(map[string]string{"ArrowDown": kb.ArrowDown, "ArrowRight": kb.ArrowRight,
			"Enter": kb.Enter, "Escape": kb.Escape}[n]))
	}
}

// load writes a page to a file and loads it from there, as a reader would.
func (b *browser) load(page string) {
	b.t.Helper()
	name := filepath.Join(b.t.TempDir(), "report.html")
	if err := os.WriteFile(name, []byte(page), 0o600); err != nil {
		b.t.Fatal(err)
	}
	b.do(chromedp.Navigate("file://" + name))
}

func eval[T any](b *browser, expression string) T {
	b.t.Helper()
	ctx, cancel := b.limit()
	defer cancel()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		b.t.Fatalf("%s: %v", expression, err)
	}
	return v
}

// until waits for an expression to become true. chromedp's own Poll would make a function of a
// text, which the page's policy forbids.
func (b *browser) until(expression string) {
	b.t.Helper()
	for end := time.Now().Add(time.Minute); !eval[bool](b, expression); time.Sleep(
		5 * time.Millisecond) {
		if time.Now().After(end) {
			b.t.Fatalf("%s does not become true", expression)
		}
	}
}

// span is the time that the timeline shows, in microseconds.
func (b *browser) span() [2]int64 {
	return eval[[2]int64](b, `[+tl.dataset.from, +tl.dataset.to]`)
}

// press sends keys to the timeline and waits for it to be drawn again.
func (b *browser) press(keys string) {
	b.t.Helper()
	b.do(chromedp.Focus("#tl"), chromedp.KeyEvent(keys))
	eval[bool](b,
		`requestAnimationFrame(() => requestAnimationFrame(() => { window.drawn = true; })), window.drawn = false`)
	b.until(`window.drawn`)
}

// clean fails the test if the page complained or asked the network for anything.
func (b *browser) clean() {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.complaints) > 0 {
		b.t.Errorf("the page complains: %s", strings.Join(b.complaints, "\n"))
	}
	if len(b.requests) > 0 {
		b.t.Errorf("the page asks the network for %q", b.requests)
	}
}

func TestPageInABrowser(t *testing.T) {
	b := newBrowser(t)
	r := newRun(t, scene{clients: 4, cycles: 14, fail: true})
	b.open(render(t, r))

	if box := eval[[]float64](b,
		`(r => [r.width, r.height])(document.querySelector('#overlap .both').getBoundingClientRect())`); box[0] < 20 || box[1] < 10 {
		t.Errorf("the overlap is drawn as %v pixels", box)
	}
	if got := eval[string](b, `document.querySelector('.bothtext').textContent`); !strings.HasPrefix(
		got, "both inside, ") {
		t.Errorf("the overlap is labelled %q", got)
	}
	w := seen(t, r).first()
	start := b.span()
	if start[0] > us(w.from) || start[1] < us(w.to) ||
		start[1]-start[0] > us(r.History.Events[len(r.History.Events)-1].T)/2 {
		t.Errorf("starts with %v, the overlap is from %d to %d", start, us(w.from), us(w.to))
	}
	if got, want := eval[int](b, `document.querySelectorAll('.lanelabel').length`), 4+2; got != want {
		t.Errorf("%d lanes, want %d", got, want)
	}
	b.clean()
}

func TestKeysMoveTheTimeline(t *testing.T) {
	b := newBrowser(t)
	b.open(render(t, newRun(t, scene{clients: 4, cycles: 14, fail: true})))
	width := func(s [2]int64) int64 { return s[1] - s[0] }
	start := b.span()
	b.press("+")
	in := b.span()
	if got, want := width(in), width(start)/2; got < want-2 || got > want+2 {
		t.Errorf("+ shows %d µs, want %d", got, want)
	}
	b.press("-")
	if out := b.span(); width(out) < width(start)-2 {
		t.Errorf("- shows %v, want %v again", out, start)
	}
	b.press("+" + kb.ArrowRight)
	if right := b.span(); right[0] <= in[0] {
		t.Errorf("→ goes from %v to %v", in, right)
	}
	b.press("0")
	if all := b.span(); all[0] != 0 || width(all) <= width(start) {
		t.Errorf("0 shows %v, not the whole run", all)
	}
	if n := eval[int](b, `document.querySelectorAll('#overlap').length`); n != 1 {
		t.Errorf("the whole run shows %d overlaps", n)
	}
	b.press("v")
	if back := b.span(); back != start {
		t.Errorf("v shows %v, want %v", back, start)
	}
	b.press("n")
	if got := eval[string](b, `document.getElementById("range").textContent`); !strings.Contains(got,
		"acquisition") {
		t.Errorf("n says %q", got)
	}
	b.do(chromedp.Click(`[data-do="all"]`))
	b.until(`+tl.dataset.from === 0`)
	b.clean()
}

func TestBigHistoryStaysUsable(t *testing.T) {
	b := newBrowser(t)
	b.open(render(t, bigRun(t)))
	b.press("0")
	if n := eval[int](b, `document.querySelectorAll('.bin').length`); n < 50 {
		t.Errorf("%d sums are drawn", n)
	}
	for range 3 {
		b.press("+")
		b.press("-")
	}
	// What is drawn decides how long a step takes; the time itself would be the machine's.
	if nodes := eval[int](b, `document.querySelectorAll('#tl *').length`); nodes > 20_000 {
		t.Errorf("the whole run is drawn with %d elements", nodes)
	}
	b.clean()
}

func TestPorcupinesPageIsFilledWhenSeen(t *testing.T) {
	r := newRun(t, scene{clients: 4, cycles: 14, fail: true})
	if _, ok := r.Verdict.Visual(); !ok {
		t.Fatal("the verdict has no picture of its slice")
	}
	b := newBrowser(t)
	b.open(render(t, r))
	b.do(chromedp.ScrollIntoView("iframe.slice"))
	b.until(`document.querySelector('iframe.slice').hasAttribute('srcdoc')`)
	b.clean()
}
