// Package serve shows a store to a browser.
package serve

import (
	"bytes"
	"cmp"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/history/edn"
	"github.com/lockbench/lockbench/internal/run/store"
	"github.com/lockbench/lockbench/reports/page"
)

// Server shows a store to a browser on the same machine. It writes nothing, and nothing outside of
// the store can be asked for: every file is opened through an os.Root, which follows no link that
// leads out. Pages are made from the records; no HTML that lies in the store is served.
type Server struct {
	dir   string
	root  *os.Root
	hosts []string

	mu    sync.Mutex
	pages map[string]madePage // by path
	order []string            // of pages, the oldest first
	known map[string]listed   // by path
	whole sync.Mutex          // of one goroutine that reads the whole list
}

// NewServer opens a store. Addr is the address that it will listen on, "127.0.0.1:8080". The server
// refuses a request for any other host, so that no foreign page can reach this one under a name of
// its own (DNS rebinding).
func NewServer(dir, addr string) (*Server, error) {
	_, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	return &Server{dir: dir, root: root, hosts: []string{"127.0.0.1:" + port, "localhost:" + port},
		pages: map[string]madePage{}, known: map[string]listed{}}, nil
}

// Close closes the store.
func (s *Server) Close() error { return s.root.Close() }

// noScript is the content security policy of all files except our own pages.
const noScript = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox"

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", noScript)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cache-Control", "no-cache")
	switch {
	case !slices.Contains(s.hosts, strings.ToLower(r.Host)):
		refuse(w, http.StatusForbidden,
			"This is lockbench on "+s.hosts[0]+". It does not answer to any other name.")
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		h.Set("Allow", "GET, HEAD")
		refuse(w, http.StatusMethodNotAllowed, "Nothing can be changed here.")
	case r.URL.Path == "/":
		s.list(w, r)
	case r.URL.Path == "/api/runs":
		s.listJSON(w, r)
	case r.URL.Path == "/compare":
		s.compare(w, r)
	default:
		name, ok := strings.CutPrefix(r.URL.Path, "/store/")
		if !ok || !s.file(w, r, name) {
			refuse(w, http.StatusNotFound, "There is nothing like that in the store.")
		}
	}
}

func refuse(w http.ResponseWriter, status int, words string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	io.WriteString(w, words+"\n")
}

// served are the files of the store that may be read as they are; no other is.
var served = regexp.MustCompile(
	`^((history|trace|results)\.jsonl|trace\.jsonl\.gz|` +
		`(plan|verdict|matrix|options|gate)\.json|(matrix|summary|report)\.md|junit\.xml|(history|results)\.edn|history\.txt|plots/[\w.-]+\.(svg|png)|nodes/[\w.-]+\.jsonl|logs/[\w.-]+)$`)

// file answers a request for a path below the store, and reports whether there is such a thing.
func (s *Server) file(w http.ResponseWriter, r *http.Request, name string) bool {
	trimmed := strings.TrimSuffix(name, "/")
	if !inside(trimmed) {
		return false
	}
	dir, base := path.Split(trimmed)
	dir = strings.TrimSuffix(dir, "/")
	if made, ok := pagesOf[base]; ok && s.has(path.Join(dir, made.from)) {
		return s.page(w, r, dir, base, made)
	}
	if info, err := s.root.Stat(trimmed); err == nil && info.IsDir() {
		for _, base := range []string{gatePage, matrixPageName, store.Report} {
			if s.has(path.Join(trimmed, pagesOf[base].from)) {
				http.Redirect(w, r, (&url.URL{Path: "/store/" + trimmed + "/" + base}).String(),
					http.StatusFound)
				return true
			}
		}
		return false
	}
	return s.plain(w, r, trimmed)
}

// inside reports whether a path may be asked for.
func inside(name string) bool {
	return fs.ValidPath(name) && !strings.ContainsAny(name, "\\\x00") &&
		!strings.HasPrefix(name, ".") && !strings.Contains(name, "/.")
}

// has reports whether a regular file is there that can be opened.
func (s *Server) has(name string) bool {
	info, err := s.root.Stat(name)
	return err == nil && info.Mode().IsRegular()
}

func (s *Server) plain(w http.ResponseWriter, r *http.Request, name string) bool {
	dir, base := path.Split(name)
	if in := path.Base(dir); in == store.Plots || in == store.Nodes || in == store.Logs {
		base = in + "/" + base
	}
	if !served.MatchString(base) || !s.has(name) {
		return s.converted(w, name)
	}
	f, err := s.root.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return false
	}
	w.Header().Set("Content-Type", cmp.Or(contentTypes[path.Ext(base)], "text/plain; charset=utf-8"))
	if strings.HasSuffix(base, ".jsonl") || strings.HasSuffix(base, ".edn") ||
		strings.HasSuffix(base, ".xml") {
		w.Header().Set("Content-Disposition", `attachment; filename="`+path.Base(base)+`"`)
	}
	http.ServeContent(w, r, "", info.ModTime(), f)
	return true
}

// contentTypes are the types of files by their endings. All others are plain text.
var contentTypes = map[string]string{".jsonl": "application/x-ndjson", ".json": "application/json",
	".edn": "application/edn", ".svg": "image/svg+xml", ".png": "image/png", ".gz": "application/gzip"}

// converted serves a history as Jepsen's EDN, which the store itself does not hold.
func (s *Server) converted(w http.ResponseWriter, name string) bool {
	dir, base := path.Split(name)
	if base != "history.edn" {
		return false
	}
	f, err := regular(s.root.FS()).Open(path.Join(dir, store.History))
	if err != nil {
		return false
	}
	defer f.Close()
	h, err := history.Read(f)
	if h == nil || err != nil && len(h.Events) == 0 {
		return false
	}
	var b bytes.Buffer
	if err := edn.Write(&b, h, edn.Options{Independent: len(h.Locks()) > 1}); err !=
		nil {
		return false
	}
	w.Header().Set("Content-Type", "application/edn")
	w.Header().Set("Content-Disposition", `attachment; filename="history.edn"`)
	w.Write(b.Bytes())
	return true
}

// madePage is a page that was made from the files of a directory as they were at a time.
type madePage struct {
	stamp  string
	body   []byte
	policy string
}

// maxPages bounds the pages that are kept: of up to 2 MB each.
const maxPages = 16

// page serves a page that is made from the records of a directory.
func (s *Server) page(w http.ResponseWriter, r *http.Request, dir, base string, made pageOf) bool {
	name, stamp := path.Join(dir, base), s.stamp(dir)
	s.mu.Lock()
	p, ok := s.pages[name]
	s.mu.Unlock()
	if !ok || p.stamp != stamp {
		sub, err := s.root.OpenRoot(cmp.Or(dir, "."))
		if err != nil {
			return false
		}
		defer sub.Close()
		body, policy, err := made.make(s, dir, sub.FS())
		if err != nil {
			refuse(w, http.StatusUnprocessableEntity, "This cannot be shown: "+page.Clean(err.Error(), 300))
			return true
		}
		p = madePage{stamp, body, policy}
		s.keep(name, p)
	}
	allow(w, p.policy)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(p.body))
	return true
}

// stamp changes when a file that a page is made from does.
func (s *Server) stamp(dir string) string {
	var b strings.Builder
	for _, name := range []string{store.History, store.Verdict, store.Plan, "matrix.json",
		"gate.json"} {
		if info, err := s.root.Stat(path.Join(dir, name)); err == nil {
			b.WriteString(info.ModTime().String())
		}
		b.WriteString("|")
	}
	return b.String()
}

// keep remembers a page and forgets the oldest of too many.
func (s *Server) keep(name string, p madePage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.pages[name]; !ok {
		s.order = append(s.order, name)
	}
	s.pages[name] = p
	if len(s.order) > maxPages {
		delete(s.pages, s.order[0])
		s.order = s.order[1:]
	}
}
