package reports

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/history/edn"
	"github.com/lockbench/lockbench/internal/run/store"
	"github.com/lockbench/lockbench/reports/figure"
	"github.com/lockbench/lockbench/reports/view"
)

// The names that Jepsen gives to files that we write as well.
const (
	jepsenHistory  = "history.edn"
	jepsenText     = "history.txt"
	jepsenResults  = "results.edn"
	jepsenTimeline = "timeline.html"
	jepsenCurrent  = "current"
)

// jepsenPlots are our plots by Jepsen's names.
var jepsenPlots = map[string]string{"latency": "latency-raw", "quantiles": "latency-quantiles",
	"throughput": "rate", "clocks": "clock-skew"}

// WriteJepsen writes a run as Jepsen keeps its own below root: <test>/<time>/history.edn,
// history.txt, results.edn, the report as timeline.html, and plots by Jepsen's names; several locks
// have a history and results each below independent/. The links latest and current point at it. It
// returns the directory. With values, operations carry what a grant does (history.Options).
// It does not write test.jepsen, Jepsen's own binary format: Jepsen's tools fall back to
// results.edn.
func WriteJepsen(root string, v *view.View, name string, began time.Time, values bool) (string,
	error) {
	dir := filepath.Join(root, filepath.Base(filepath.Clean("/"+strings.ReplaceAll(name, ":", "-"))),
		began.UTC().Format(store.TimeLayout))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	locks := v.History.Locks()
	o := edn.Options{Values: values, Independent: len(locks) > 1}
	err := errors.Join(writeHistories(dir, v.History, o), writeResults(dir, v.History, v.Verdict),
		jepsenPictures(dir, v),
		store.Write(dir, jepsenTimeline, func(w *os.File) error { return WriteHTML(w, v) }))
	if len(locks) > 1 {
		for _, key := range locks {
			err = errors.Join(err, writeLock(filepath.Join(dir, "independent", fmt.Sprint(key)), v, key,
				values))
		}
	}
	return dir, errors.Join(err, store.Point(root, dir), store.Link(root, jepsenCurrent, dir))
}

// writeLock writes what a history of several locks says of one of them, judged by itself.
func writeLock(dir string, v *view.View, key int, values bool) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	h := v.History.ForKey(key)
	return errors.Join(writeHistories(dir, h, edn.Options{Values: values}),
		writeResults(dir, h, checker.Check(h, v.Trace, checker.Options{})))
}

func writeHistories(dir string, h *history.History, o edn.Options) error {
	return errors.Join(
		store.Write(dir, jepsenHistory, func(w *os.File) error { return edn.Write(w, h, o) }),
		store.Write(dir, jepsenText, func(w *os.File) error { return edn.WriteText(w, h, o) }),
	)
}

func writeResults(dir string, h *history.History, v *checker.Verdict) error {
	return store.Write(dir, jepsenResults, func(w *os.File) error {
		_, err := w.WriteString(Results(h, v).String())
		return err
	})
}

// jepsenPictures writes the plots that Jepsen draws as well.
func jepsenPictures(dir string, v *view.View) error {
	figs, err := figure.Figures(v)
	for _, f := range figs {
		name, ok := jepsenPlots[f.Name]
		if !ok {
			continue
		}
		b, drawErr := f.PNG()
		if drawErr == nil {
			drawErr = os.WriteFile(filepath.Join(dir, name+".png"), b, 0o644)
		}
		err = errors.Join(err, drawErr)
	}
	return err
}

// Results converts a verdict to Jepsen's results.edn: a map of checks, each with :valid?, and
// :valid? for all of them together. A property that does not apply appears in a map of its own.
func Results(h *history.History, v *checker.Verdict) edn.Map {
	var m, na edn.Map
	if v == nil {
		m.Put("valid?", edn.Keyword("unknown"))
		m.Put("error", "not judged")
		return m
	}
	m.Put("valid?", validity(v.Verdict))
	m.Put("lock", h.Header.Impl)
	m.Put("nemesis", h.Header.Nemesis)
	m.Put("summary", v.Summary)
	for _, p := range v.Properties {
		if p.Verdict == checker.NA {
			na.Put(p.Property, p.Reason)
			continue
		}
		m.Put(p.Property, check(p))
	}
	if len(na) > 0 {
		m.Put("not-applicable", na)
	}
	m.Put("evidence", evidence(v.Evidence))
	if v.HarnessError != "" {
		m.Put("error", v.HarnessError)
	}
	return m
}

// validity returns a result in Jepsen's words.
func validity(r checker.Result) any {
	switch r {
	case checker.Violated:
		return false
	case checker.Valid:
		return true
	}
	return edn.Keyword("unknown")
}

func check(p checker.Property) (m edn.Map) {
	m.Put("valid?", validity(p.Verdict))
	m.Put("meaning", view.Meaning(p.Property))
	for _, x := range []struct{ key, text string }{{"class", p.Class}, {"assumption", p.Assumption},
		{"explanation", p.Explanation}, {"reason", p.Reason}} {
		if x.text != "" {
			m.Put(x.key, x.text)
		}
	}
	if p.Reported {
		m.Put("reported-only", true)
	}
	return m
}

func evidence(e checker.Evidence) (m edn.Map) {
	m.Put("acquisitions", e.Acquisitions)
	m.Put("contended", e.Contended)
	m.Put("aimed", e.Aimed)
	m.Put("hits", e.Hits)
	m.Put("grants-after-failover", e.AfterFailover)
	m.Put("unknown", e.Unknown)
	return m
}
