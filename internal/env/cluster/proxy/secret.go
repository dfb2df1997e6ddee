package proxy

import (
	"crypto/subtle"
	"net/http"
	"strings"
)

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
