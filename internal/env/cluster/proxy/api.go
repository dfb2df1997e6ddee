package proxy

import (
	"crypto/subtle"
	"net/http"
	"strings"
	"time"

	"github.com/Shopify/toxiproxy/v2"
	"github.com/Shopify/toxiproxy/v2/toxics"
	"github.com/gorilla/mux"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"
)

// proxyAPI is toxiproxy with its own handlers, for a listener of ours: its Listen cannot be
// stopped, has no port 0, and exits the process when the port is taken.
func proxyAPI() *mux.Router {
	api := toxiproxy.NewServer(toxiproxy.NewMetricsContainer(prometheus.NewRegistry()), zerolog.Nop())
	r := mux.NewRouter()
	for _, row := range []struct {
		method, path string
		handler      http.HandlerFunc
	}{
		{"GET", "/proxies", api.ProxyIndex},
		{"POST", "/proxies", api.ProxyCreate},
		{"GET", "/proxies/{proxy}", api.ProxyShow},
		{"POST", "/proxies/{proxy}", api.ProxyUpdate},
		{"DELETE", "/proxies/{proxy}", api.ProxyDelete},
		{"GET", "/proxies/{proxy}/toxics", api.ToxicIndex},
		{"POST", "/proxies/{proxy}/toxics", api.ToxicCreate},
		{"POST", "/proxies/{proxy}/toxics/{toxic}", api.ToxicUpdate},
		{"DELETE", "/proxies/{proxy}/toxics/{toxic}", api.ToxicDelete},
	} {
		r.HandleFunc(row.path, row.handler).Methods(row.method)
	}
	return r
}

// requireSecret answers only requests whose path begins with a secret and that were sent to host by
// a program: a listener on loopback is open to every user of the machine, and to the pages in their
// browsers, and a link that is cut by another is forged evidence.
func requireSecret(secret, host string, h http.Handler) http.Handler {
	inside := http.StripPrefix("/"+secret, h)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		given, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
		if r.Host != host || fromBrowser(r) ||
			subtle.ConstantTimeCompare([]byte(given), []byte(secret)) != 1 {
			http.Error(w, "these are the proxies of a run of lockbench, and only for it",
				http.StatusForbidden)
			return
		}
		inside.ServeHTTP(w, r)
	})
}

// fromBrowser reports whether a page may have made the request: programs send none of these.
func fromBrowser(r *http.Request) bool {
	for name := range r.Header {
		if name == "Origin" || name == "Referer" || strings.HasPrefix(name, "Sec-Fetch-") {
			return true
		}
	}
	return false
}

// Late is the kind of the toxic that delivers each message later. Its attribute is "latency", in
// milliseconds.
const Late = "late"

func init() { toxics.Register(Late, new(late)) }

// late is toxiproxy's latency, but its removal is quick. When a toxic is removed, toxiproxy
// delivers the messages that it still holds, waits up to 5 s for each, and accepts no connection
// meanwhile. If the receiver is gone, the second write to it fails, and the goroutine that wrote
// waits for the removal and never takes the third message.
type late struct{ toxics.LatencyToxic }

// goneAfter is how long to wait until one message is taken. Then the receiver counts as gone. One
// that is only paused does not: its socket has room for what a lock sends.
const goneAfter = 500 * time.Millisecond

// Cleanup delivers the held messages in order. It closes the connection at the end of the stream,
// or if a message is not taken within goneAfter. Toxiproxy calls it when the toxic is removed, for
// all connections concurrently.
func (*late) Cleanup(stub *toxics.ToxicStub) {
	for len(stub.Input) > 0 {
		c := <-stub.Input
		if c == nil || stub.WriteOutput(c, goneAfter) != nil {
			stub.Close()
			return
		}
	}
}
