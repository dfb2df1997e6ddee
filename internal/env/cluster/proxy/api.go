package proxy

import (
	"net/http"

	"github.com/Shopify/toxiproxy/v2"
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
