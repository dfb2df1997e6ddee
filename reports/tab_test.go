package reports

import (
	"bytes"
	"context"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/lockbench/lockbench/reports/reporttest"
)

// open loads a report and waits for its timeline.
func open(b *reporttest.Browser, page string) {
	b.Load(page)
	b.WaitFor(`document.querySelector('.tlsvg') !== null`)
}

// span returns the time that the timeline shows, in microseconds.
func span(b *reporttest.Browser) [2]int64 {
	return reporttest.Eval[[2]int64](b, `[+tl.dataset.from, +tl.dataset.to]`)
}

// press sends keys to the timeline and waits for it to be drawn again.
func press(b *reporttest.Browser, keys string) {
	b.Do(chromedp.Focus("#tl"), chromedp.KeyEvent(keys))
	reporttest.Eval[bool](b,
		`requestAnimationFrame(() => requestAnimationFrame(() => { window.drawn = true; })), `+
			`window.drawn = false`)
	b.WaitFor(`window.drawn`)
}

// scheme makes the page believe that its reader prefers "dark" or "light".
func scheme(name string) chromedp.Action[chromedp.Void] {
	return func(ctx context.Context, tab *chromedp.Target) (chromedp.Void, error) {
		_, err := cdp.Call(ctx, tab, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: name}}})
		return chromedp.Void{}, err
	}
}

// paper switches the page to its print style.
func paper() chromedp.Action[chromedp.Void] {
	return func(ctx context.Context, tab *chromedp.Target) (chromedp.Void, error) {
		_, err := cdp.Call(ctx, tab, emulation.SetEmulatedMedia,
			emulation.SetEmulatedMediaParams{Media: "print"})
		return chromedp.Void{}, err
	}
}

// printed returns how many pages the page takes on paper.
func printed(b *reporttest.Browser) (pages int) {
	b.Do(func(ctx context.Context, tab *chromedp.Target) (chromedp.Void, error) {
		r, err := cdp.Call(ctx, tab, cdppage.PrintToPDF, cdppage.PrintToPDFParams{})
		if err == nil {
			pages = bytes.Count(r.Data, []byte("/Type /Page\n"))
		}
		return chromedp.Void{}, err
	})
	return pages
}
