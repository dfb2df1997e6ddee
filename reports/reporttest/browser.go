package reporttest

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
	"github.com/lockbench/lockbench/internal/dev/testenv"
)

// Browser is a tab of a headless Chromium, and all that it had to complain about.
type Browser struct {
	t   *testing.T
	ctx context.Context
	mu  sync.Mutex
	// complaints are errors, warnings and exceptions of the console; requests are all that went beyond
	// the page itself.
	complaints, requests []string
	Allow                string // the address of a server that may be asked
}

// NewBrowser starts a browser of its own for a test, which ends it and removes all that it wrote.
func NewBrowser(t *testing.T) *Browser {
	testenv.Part(t, "chromium")
	// Debian's wrapper starts helpers that may outlive the test by a moment: a folder that t removes
	// would not be empty.
	dir, err := os.MkdirTemp("", "lockbench-chromium")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	opts := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath("chromium"),
		chromedp.NoSandbox, chromedp.DisableGPU, chromedp.UserDataDir(dir), chromedp.Env("TMPDIR="+dir),
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true),
		chromedp.WindowSize(1280, 900))
	ctx, cancel := chromedp.NewExecAllocator(t.Context(), opts...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	b := &Browser{t: t, ctx: ctx}
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

func (b *Browser) hear(ev any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := ev.(type) {
	case *network.EventRequestWillBeSent:
		if u := e.Request.URL; !strings.HasPrefix(u, "file://") && !strings.HasPrefix(u, "data:") &&
			!strings.HasPrefix(u, "about:") && (b.Allow == "" || !strings.HasPrefix(u, b.Allow+"/")) {
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
func (b *Browser) limit() (context.Context, context.CancelFunc) {
	return context.WithTimeout(b.ctx, time.Minute)
}

func (b *Browser) Do(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx, cancel := b.limit()
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		b.t.Fatal(err)
	}
}

// Keys presses keys by their names, on the focused element.
func (b *Browser) Keys(names ...string) {
	b.t.Helper()
	for _, n := range names {
		b.Do(chromedp.KeyEvent(map[string]string{"ArrowDown": kb.ArrowDown, "ArrowRight": kb.ArrowRight,
			"Enter": kb.Enter, "Escape": kb.Escape}[n]))
	}
}

// Load writes a page to a file and loads it from there, as a reader would.
func (b *Browser) Load(page string) {
	b.t.Helper()
	name := filepath.Join(b.t.TempDir(), "report.html")
	if err := os.WriteFile(name, []byte(page), 0o600); err != nil {
		b.t.Fatal(err)
	}
	b.Do(chromedp.Navigate("file://" + name))
}

// WaitFor waits for an expression to become true. chromedp's own Poll would make a function of a
// text, which the page's policy forbids.
func (b *Browser) WaitFor(expression string) {
	b.t.Helper()
	for end := time.Now().Add(time.Minute); !Eval[bool](b, expression); time.Sleep(
		5 * time.Millisecond) {
		if time.Now().After(end) {
			b.t.Fatalf("%s does not become true", expression)
		}
	}
}

// Clean fails the test if the page complained or asked the network for anything.
func (b *Browser) Clean() {
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

func ClickOn(selector string) chromedp.Action[chromedp.Void] { return chromedp.Click(selector) }

func TypeInto(selector, s string) chromedp.Action[chromedp.Void] {
	return chromedp.SendKeys(selector, s)
}

// Width makes the window so many pixels wide.
func Width(pixels int64) chromedp.Action[chromedp.Void] {
	return chromedp.EmulateViewport(pixels, 900)
}

func Eval[T any](b *Browser, expression string) T {
	b.t.Helper()
	ctx, cancel := b.limit()
	defer cancel()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		b.t.Fatalf("%s: %v", expression, err)
	}
	return v
}
