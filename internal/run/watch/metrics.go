package watch

import (
	"maps"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Metrics shows the numbers of the keys to Prometheus. It is a prometheus.Collector.
type Metrics struct{ keys atomic.Pointer[[]KeyStats] }

// maxShown bounds the keys in the metrics.
const maxShown = 500

// Serve serves /metrics on a listener, until the listener is closed.
func (m *Metrics) Serve(l net.Listener) {
	r := prometheus.NewRegistry()
	r.MustRegister(m)
	mux := http.NewServeMux()
	mux.Handle("/metrics", promhttp.HandlerFor(r, promhttp.HandlerOpts{
		ErrorHandling: promhttp.ContinueOnError})) // keys of two databases may have one name
	s := &http.Server{ReadHeaderTimeout: 5 * time.Second, Handler: mux}
	_ = s.Serve(l)
}

// Update takes the numbers of a judge. It is called in the judge's goroutine.
func (m *Metrics) Update(j *Judge) {
	keys := j.Table()
	keys = keys[:min(len(keys), maxShown)]
	for i := range keys {
		keys[i].Found = maps.Clone(keys[i].Found) // the judge goes on counting
	}
	m.keys.Store(&keys)
}

// The families.
var (
	calls = prometheus.NewDesc("lockbench_watch_calls_total", "Calls for a lock, by their result.",
		[]string{"key", "result"}, nil)
	found = prometheus.NewDesc("lockbench_watch_found_total", "Findings and evidence, by their kind.",
		[]string{"key", "kind"}, nil)
	waits = prometheus.NewDesc("lockbench_watch_wait_seconds", "Times until a lock was taken.",
		[]string{"key"}, nil)
	holds = prometheus.NewDesc("lockbench_watch_hold_seconds", "Times until a lock was released.",
		[]string{"key"}, nil)
)

// Describe and Collect implement prometheus.Collector.
func (m *Metrics) Describe(to chan<- *prometheus.Desc) { prometheus.DescribeByCollect(m, to) }

func (m *Metrics) Collect(to chan<- prometheus.Metric) {
	keys := m.keys.Load()
	if keys == nil {
		return
	}
	for _, k := range *keys {
		count := func(of *prometheus.Desc, n int, what Kind) {
			to <- prometheus.MustNewConstMetric(of, prometheus.CounterValue, float64(n), k.Key, string(what))
		}
		count(calls, k.Acquired, Acquired)
		count(calls, k.Refused, Refused)
		count(calls, k.Renewed, Renewed)
		count(calls, k.Released, Released)
		for what, n := range k.Found {
			count(found, n, what)
		}
		to <- k.Wait.summary(waits, k.Key)
		to <- k.Hold.summary(holds, k.Key)
	}
}

func (p Spread) summary(of *prometheus.Desc, key string) prometheus.Metric {
	seconds := func(us int64) float64 { return float64(us) / 1e6 }
	return prometheus.MustNewConstSummary(of, uint64(p.N), seconds(p.sum), map[float64]float64{
		.5: seconds(p.P50), .99: seconds(p.P99), 1: seconds(p.Longest)}, key)
}
