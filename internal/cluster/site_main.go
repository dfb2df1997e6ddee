package cluster

import (
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"time"
)

// siteEnv marks a process as a site, and holds the token that its API asks for.
const siteEnv = "LOCKBENCH_SITE"

// SiteEnv is the environment of a site.
func SiteEnv(token string) map[string]string { return map[string]string{siteEnv: token} }

// siteUser is the name that goes with the token.
const siteUser = "lockbench"

// SiteProtocol is what a site speaks. The program of a site may be another build than this one,
// which has to know.
const SiteProtocol = 1

// SiteAPI is the port of a site's API in its container.
const SiteAPI = 7000

// SiteWord is a line of what a site says on its output.
type SiteWord struct {
	Ready int           `json:"ready,omitempty"` // the protocol: it takes connections
	Late  time.Duration `json:"late,omitempty"`  // it did not run for so long
}

// IsSite reports whether this process was started as a site. A main function, and TestMain of a
// package whose tests make sites, then calls SiteMain and nothing else.
func IsSite() bool { return os.Getenv(siteEnv) != "" }

// SiteMain runs the proxies of an environment until the process is killed, and tells out what a
// Site has to know. It returns the exit code.
func SiteMain(out io.Writer) int {
	ln, err := net.Listen("tcp", net.JoinHostPort("", strconv.Itoa(SiteAPI)))
	if err == nil {
		err = errors.Join(os.RemoveAll(siteFolder), os.MkdirAll(siteFolder, 0o755))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	say := json.NewEncoder(out)
	_ = say.Encode(SiteWord{Ready: SiteProtocol})
	go stalls(nil, func(_ int64, d time.Duration) { _ = say.Encode(SiteWord{Late: d}) })
	fmt.Fprintln(os.Stderr,
		http.Serve(ln, guarded(os.Getenv(siteEnv), newGatehouse(siteFolder).api())))
	return 1
}

// guarded asks for a token.
func guarded(token string, h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, given, _ := r.BasicAuth()
		if subtle.ConstantTimeCompare([]byte(given), []byte(token)) != 1 {
			http.Error(w, "the token is not this run's", http.StatusUnauthorized)
			return
		}
		if r.Method == http.MethodConnect {
			passThrough(w, r.Host)
			return
		}
		h.ServeHTTP(w, r)
	})
}

// passThrough joins a request to an address, from then on. Nothing is sent before the answer, so
// that the buffer is empty.
func passThrough(w http.ResponseWriter, to string) {
	there, err := net.DialTimeout("tcp", to, siteTimeout)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	here, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		there.Close()
		return
	}
	defer here.Close()
	if _, err := io.WriteString(here, "HTTP/1.1 200 OK\r\n\r\n"); err != nil {
		there.Close()
		return
	}
	join(here, there)
}
