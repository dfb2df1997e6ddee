package watch

import (
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"time"
)

// Metrics shows the numbers of the keys to Prometheus.
type Metrics struct{ text atomic.Pointer[string] }

// maxShown bounds the keys in the metrics.
const maxShown = 500

// Serve serves /metrics on a listener, until the listener is closed.
func (m *Metrics) Serve(l net.Listener) {
	s := &http.Server{ReadHeaderTimeout: 5 * time.Second, Handler: http.HandlerFunc(
		func(w http.ResponseWriter, r *http.Request) {
			text := m.text.Load()
			if r.URL.Path != "/metrics" || text == nil {
				http.NotFound(w, r)
				return
			}
			w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
			_, _ = w.Write([]byte(*text))
		})}
	_ = s.Serve(l)
}

// Update takes the numbers of a judge. It is called in the judge's goroutine.
func (m *Metrics) Update(j *Judge) {
	var b strings.Builder
	keys := j.Table()
	keys = keys[:min(len(keys), maxShown)]
	family := func(name, kind, help string, of func(k KeyStats, line func(labels string, v float64))) {
		fmt.Fprintf(&b, "# HELP lockbench_watch_%s %s\n# TYPE lockbench_watch_%s %s\n", name, help, name,
			kind)
		for _, k := range keys {
			of(k, func(labels string, v float64) {
				fmt.Fprintf(&b, "lockbench_watch_%s{key=%s%s} %g\n", name, label(k.Key), labels, v)
			})
		}
	}
	family("calls_total", "counter", "Calls for a lock, by their result.",
		func(k KeyStats, line func(string, float64)) {
			for what, n := range map[Kind]int{Acquired: k.Acquired, Refused: k.Refused, Renewed: k.Renewed,
				Released: k.Released} {
				line(`,result="`+string(what)+`"`, float64(n))
			}
		})
	family("found_total", "counter", "Findings and evidence, by their kind.",
		func(k KeyStats, line func(string, float64)) {
			for what, n := range k.Found {
				line(`,kind="`+string(what)+`"`, float64(n))
			}
		})
	for name, of := range map[string]func(KeyStats) Spread{
		"wait_seconds": func(k KeyStats) Spread { return k.Wait },
		"hold_seconds": func(k KeyStats) Spread { return k.Hold }} {
		family(name, "gauge", "Quantiles since the watch began.",
			func(k KeyStats, line func(string, float64)) {
				p := of(k)
				for q, us := range map[string]int64{"0.5": p.P50, "0.99": p.P99, "1": p.Longest} {
					line(`,quantile="`+q+`"`, float64(us)/1e6)
				}
			})
	}
	text := b.String()
	m.text.Store(&text)
}

// label quotes a label's value for Prometheus.
func label(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s) + `"`
}
