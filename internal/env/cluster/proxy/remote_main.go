package proxy

import (
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path"
	"strconv"
	"time"

	"github.com/gorilla/mux"
	"github.com/lockbench/lockbench/internal/base/proc"
	"github.com/lockbench/lockbench/internal/env/cluster/clock"
)

// remoteEnv marks a process as one that has remote proxies, and holds the token of its API.
const remoteEnv = "LOCKBENCH_PROXIES"

// RemoteEnv is the process environment of remote proxies.
func RemoteEnv(token string) map[string]string { return map[string]string{remoteEnv: token} }

// remoteUser is the name that goes with the token.
const remoteUser = "lockbench"

// RemoteProtocol is the version of what remote proxies speak: their program may be another build
// than this one.
const RemoteProtocol = 3

// RemotePort is the port of the remote proxies' API in their container.
const RemotePort = 7000

// RemoteMessage is a line of what remote proxies write on their output.
type RemoteMessage struct {
	Ready int           `json:"ready,omitempty"` // the protocol: it takes connections
	Late  time.Duration `json:"late,omitempty"`  // it did not run for so long
}

// IsRemote reports whether this process was started to have the proxies of another. A main
// function, and TestMain of a package whose tests start such processes, then calls RemoteMain and
// nothing else.
func IsRemote() bool { return os.Getenv(remoteEnv) != "" }

// RemoteMain runs the proxies of an environment until the process is killed, and tells out what a
// Remote has to know. It returns the exit code.
func RemoteMain(out io.Writer) int {
	ln, err := net.Listen("tcp", net.JoinHostPort("", strconv.Itoa(RemotePort)))
	if err == nil {
		err = errors.Join(os.RemoveAll(remoteFolder), os.MkdirAll(remoteFolder, 0o755))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	say := json.NewEncoder(out)
	_ = say.Encode(RemoteMessage{Ready: RemoteProtocol})
	go proc.Stalls(nil, func(_ int64, d time.Duration) { _ = say.Encode(RemoteMessage{Late: d}) })
	fmt.Fprintln(os.Stderr,
		http.Serve(ln, RemoteHandler(os.Getenv(remoteEnv), remoteFolder)))
	return 1
}

// RemoteHandler answers requests that have the token: requests of toxiproxy's API, requests for the
// files of servers, which lie in folder, and CONNECT.
func RemoteHandler(token, folder string) http.Handler {
	r := proxyAPI()
	r.HandleFunc("/wipe/{server}", done(func(server, _ string) error {
		dir := path.Join(folder, server)
		return errors.Join(os.RemoveAll(dir), os.MkdirAll(dir, 0o777))
	})).Methods("POST")
	r.HandleFunc("/clock/{server}", done(func(server, ns string) error {
		offset, err := strconv.ParseInt(ns, 10, 64)
		if err != nil {
			return err
		}
		return (&clock.Server{Path: remoteClock(folder, server)}).Set(time.Duration(offset))
	})).Methods("POST")
	return guarded(token, r)
}

// done makes a handler that calls f with the server's name and the body of the request.
func done(f func(server, body string) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(io.LimitReader(r.Body, 1<<10))
		if err == nil {
			err = f(mux.Vars(r)["server"], string(body))
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
		}
	}
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
	there, err := net.DialTimeout("tcp", to, remoteTimeout)
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
