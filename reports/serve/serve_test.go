package serve

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/campaign/gate"
	"github.com/lockbench/lockbench/internal/dev/golden"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/run/batch"
	"github.com/lockbench/lockbench/internal/run/store"
	"github.com/lockbench/lockbench/reports/reporttest"
)

// site is a server of a store in a folder of its own, with a secret beside the store.
type site struct {
	*httptest.Server
	t    testing.TB
	dir  string
	host string
}

const secret = "nobody may read this"

func newSite(t testing.TB) *site {
	t.Helper()
	top := t.TempDir()
	dir := filepath.Join(top, "store")
	write(t, filepath.Join(top, "secret.json"), secret)
	write(t, filepath.Join(dir, ".lockbench", "plan.json"), secret)
	ts := httptest.NewUnstartedServer(nil)
	s, err := NewServer(dir, ts.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	ts.Config.Handler = s
	ts.Start()
	t.Cleanup(func() { ts.Close(); s.Close() })
	return &site{ts, t, dir, ts.Listener.Addr().String()}
}

// add writes a run as lockbench run does, but for what the test does not need.
func (s *site) add(name string, r *store.Run) string {
	s.t.Helper()
	var h, v bytes.Buffer
	if err := errors.Join(r.History.Write(&h), r.Verdict.Write(&v)); err != nil {
		s.t.Fatal(err)
	}
	dir := filepath.Join(s.dir, name)
	write(s.t, filepath.Join(dir, store.History), h.String())
	write(s.t, filepath.Join(dir, store.Verdict), v.String())
	write(s.t, filepath.Join(dir, store.Plan), `{"format":2}`)
	// what lies there is not served
	write(s.t, filepath.Join(dir, "report.html"), "<script>window.pwned=1</script>")
	return dir
}

// ask sends a request with the path exactly as it is written.
func (s *site) ask(method, rawPath, host string) (*http.Response, string) {
	s.t.Helper()
	r, err := http.NewRequest(method, s.URL, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	r.URL.Opaque = rawPath
	if host != "" {
		r.Host = host
	}
	c := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	}}
	resp, err := c.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return resp, string(b)
}

const oneRun = "getset-failover/20261121T120000.000Z"

func TestServerShowsARun(t *testing.T) {
	s := newSite(t)
	dir := s.add(oneRun, reporttest.NewRun(t, reporttest.Scene{Clients: 4, Cycles: 14, Fail: true}))
	write(t, filepath.Join(dir, store.Packed), "\x1f\x8b")
	for _, c := range []struct{ path, typ, want string }{
		{"/", "text/html; charset=utf-8", "lockbench store"},
		{"/api/runs", "application/json", `"verdict":"violated"`},
		{"/api/runs", "application/json", `"trace.jsonl.gz"`},
		{"/store/" + oneRun + "/report.html", "text/html; charset=utf-8",
			"Can two clients hold the lock getset at once"},
		{"/store/" + oneRun + "/report.html", "text/html; charset=utf-8", `<a href="/">all runs</a> · <a href="plots.html">plots</a>`},
		{"/store/" + oneRun + "/plots.html", "text/html; charset=utf-8", "Waits and holds over time"},
		{"/store/" + oneRun + "/history.jsonl", "application/x-ndjson", `"type":"header"`},
		{"/store/" + oneRun + "/trace.jsonl.gz", "application/gzip", "\x1f\x8b"},
		{"/store/" + oneRun + "/history.edn", "application/edn", "{:index 0, :time"},
		{"/store/" + oneRun + "/verdict.json", "application/json", `"verdict": "violated"`},
		{"/store/" + oneRun + "/plan.json", "application/json", `{"format":2}`},
	} {
		resp, body := s.ask("GET", c.path, "")
		if resp.StatusCode != 200 || resp.Header.Get("Content-Type") != c.typ ||
			!strings.Contains(body, c.want) {
			t.Errorf("%s: %d %s, and %q is not in it", c.path, resp.StatusCode,
				resp.Header.Get("Content-Type"), c.want)
		}
		if csp := resp.Header.Get("Content-Security-Policy"); !strings.Contains(csp,
			"default-src 'none'") || strings.Contains(csp, "'unsafe-inline' 'sha") ||
			strings.Contains(csp, "unsafe-eval") {
			t.Errorf("%s: policy %q", c.path, csp)
		}
		if strings.Contains(body, "pwned") {
			t.Errorf("%s serves HTML that lay in the store", c.path)
		}
	}
	if resp, _ := s.ask("GET", "/store/"+oneRun, ""); resp.Header.Get("Location") !=
		"/store/"+oneRun+"/report.html" {
		t.Errorf("a directory leads to %q", resp.Header.Get("Location"))
	}
	first, _ := s.ask("GET", "/api/runs", "")
	r, _ := http.NewRequest("GET", s.URL+"/api/runs", nil)
	r.Header.Set("If-None-Match", first.Header.Get("ETag"))
	if resp, err := http.DefaultClient.Do(r); err != nil || resp.StatusCode != http.StatusNotModified {
		t.Errorf("asked again, it sends %v %v", resp, err)
	}
}

func TestNoPathLeavesTheStore(t *testing.T) {
	s := newSite(t)
	dir := s.add(oneRun, reporttest.NewRun(t, reporttest.Scene{Clients: 2, Cycles: 6}))
	for link, to := range map[string]string{
		filepath.Join(dir, "matrix.json"): "../../../secret.json",
		filepath.Join(dir, store.Trace): filepath.Join(filepath.Dir(s.dir),
			"secret.json"),
		filepath.Join(dir, "plots"):                      "../../..",
		filepath.Join(s.dir, "out"):                      "..",
		filepath.Join(s.dir, "latest"):                   oneRun,
		filepath.Join(s.dir, "getset-failover", "plans"): "../../..",
	} {
		if err := os.Symlink(to, link); err != nil {
			t.Fatal(err)
		}
	}
	for _, p := range []string{
		"/store/../secret.json", "/store/%2e%2e/secret.json", "/store/..%2fsecret.json",
		"/store/%2e%2e%2fsecret.json", "/store/" + oneRun + "/../../../secret.json",
		"/store/" + oneRun + "/..%5c..%5csecret.json", "/store//etc/passwd", "/store/%2fetc/passwd",
		"/store/" + oneRun + "/plots/secret.json", "/store/" + oneRun + "/trace.jsonl",
		"/store/" + oneRun + "/matrix.json", "/store/" + oneRun + "/matrix.html",
		"/store/out/secret.json", "/store/.lockbench/plan.json", "/store/" + oneRun + "/plan.json%00.svg",
		"/store/getset-failover/plans/secret.json", "/store/out/store/.lockbench/plan.json",
		"/secret.json", "/../secret.json", "/store/", "/store", "/api", "/store/" + oneRun +
			"/logs/../plan.json",
		"/store/" + oneRun + "/%252e%252e/secret.json", "/store/" + oneRun + "/plots/..%2f..%2fplan.json",
	} {
		resp, body := s.ask("GET", p, "")
		if resp.StatusCode < 400 || strings.Contains(body, secret) {
			t.Errorf("%s: %d %.60q", p, resp.StatusCode, body)
		}
	}
	if resp, _ := s.ask("GET", "/store/latest/plan.json", ""); resp.StatusCode != 200 {
		t.Errorf("a link within the store: %d", resp.StatusCode)
	}
}

func TestServerRefusesForeignHostsAndChanges(t *testing.T) {
	s := newSite(t)
	s.add(oneRun, reporttest.NewRun(t, reporttest.Scene{Clients: 2, Cycles: 6}))
	for _, host := range []string{"evil.example", "evil.example:80", "127.0.0.1", "127.0.0.1:1",
		"localhost", "127.0.0.1.evil.example:" + strings.Split(s.host, ":")[1], "[::1]:" +
			strings.Split(s.host, ":")[1]} {
		if resp, body := s.ask("GET", "/api/runs", host); resp.StatusCode != http.StatusForbidden ||
			strings.Contains(body, "getset") {
			t.Errorf("host %s: %d", host, resp.StatusCode)
		}
	}
	if resp, _ := s.ask("GET", "/api/runs", "localhost:"+strings.Split(s.host,
		":")[1]); resp.StatusCode != 200 {
		t.Errorf("localhost: %d", resp.StatusCode)
	}
	for _, method := range []string{"POST", "PUT", "DELETE", "PATCH", "OPTIONS", "PROPFIND"} {
		if resp, _ := s.ask(method, "/store/"+oneRun+"/plan.json", ""); resp.StatusCode !=
			http.StatusMethodNotAllowed {
			t.Errorf("%s: %d", method, resp.StatusCode)
		}
	}
	if _, err := os.Stat(filepath.Join(s.dir, oneRun, store.Plan)); err != nil {
		t.Error(err)
	}
}

func TestServerShowsMatricesAndGates(t *testing.T) {
	s := newSite(t)
	var m, g bytes.Buffer
	if err := reporttest.Matrix(t, "Client 0 stayed.").Write(&m); err != nil {
		t.Fatal(err)
	}
	if err := (&gate.Result{Format: batch.Format, Result: gate.Failed, Exit: 1,
		Entries: []gate.EntryResult{{Name: reporttest.Hostile[0], Result: gate.Failed, Found: "valid"}}}).
		Write(&g); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(s.dir, "matrix-all/20261121T120001.000Z/matrix.json"),
		m.String())
	s.add("matrix-all/20261121T120001.000Z/runs/getset/pause", reporttest.NewRun(t, reporttest.Scene{
		Clients: 2, Cycles: 6}))
	write(t, filepath.Join(s.dir, "gate-ci/20261121T120002.000Z/gate.json"), g.String())
	write(t, filepath.Join(s.dir, "gate-ci/20261121T120003.000Z/gate.json"), "{")
	write(t, filepath.Join(s.dir, "other/thing/notes.txt"), "not ours")
	if _, body := s.ask("GET", "/store/matrix-all/20261121T120001.000Z/matrix.html",
		""); !strings.Contains(body, `href="runs/getset/pause/report.html"`) ||
		strings.Contains(body, `href="runs/setnx/crash`) {
		t.Error("a matrix does not link to the runs that are there, and only to those")
	}
	const at = "/store/matrix-all/20261121T120001.000Z/"
	const matrixPage = at + "matrix.html"
	resp, body := s.ask("GET", at+"runs/getset/pause/report.html", "")
	if resp.StatusCode != 200 || !strings.Contains(body,
		`<a href="/">all runs</a> · <a href="`+matrixPage+`">the matrix</a>`) {
		t.Errorf("the report of a cell, without its matrix: %d", resp.StatusCode)
	}
	if _, body := s.ask("GET", matrixPage, ""); !strings.Contains(body, `<a href="/">all runs</a>`) {
		t.Error("a matrix does not lead to the list")
	}
	if _, body := s.ask("GET", "/store/gate-ci/20261121T120002.000Z/gate.html", ""); !strings.Contains(
		body, "failed") || strings.Contains(body, "<img") || !strings.Contains(body,
		`<a href="/">all runs</a>`) {
		t.Error("the gate's page does not say that it failed, or obeys a name")
	}
	if resp, _ := s.ask("GET", "/store/gate-ci/20261121T120003.000Z/gate.html", ""); resp.StatusCode !=
		http.StatusUnprocessableEntity {
		t.Errorf("a broken gate: %d", resp.StatusCode)
	}
}

// TestListing pins what programs read.
// TestServerCompares shows what is different between two runs, and nothing outside of the store.
func TestServerCompares(t *testing.T) {
	s := newSite(t)
	s.add(oneRun, reporttest.NewRun(t, reporttest.Scene{Clients: 4, Cycles: 14, Fail: true}))
	s.add("getset-none/20261121T110000.000Z", reporttest.NewRun(t, reporttest.Scene{
		Clients: 4, Cycles: 40}))
	resp, body := s.ask("GET", "/compare?a=getset-none/20261121T110000.000Z&b="+oneRun, "")
	for _, want := range []string{"1 compared: ", `<a href="/">all runs</a>`,
		`<a href="/store/` + oneRun + `">`} {
		if resp.StatusCode != http.StatusOK || !strings.Contains(body, want) {
			t.Errorf("%s: no %q in\n%s", resp.Status, want, body)
		}
	}
	outside := t.TempDir()
	os.Symlink(filepath.Join(s.dir, oneRun), filepath.Join(outside, "run"))
	os.Symlink(outside, filepath.Join(s.dir, "link"))
	for _, query := range []string{"", "?a=" + oneRun, "?a=" + oneRun + "&b=../etc",
		"?a=" + oneRun + "&b=link/run", "?a=" + oneRun + "&b=getset-none"} {
		if resp, body := s.ask("GET", "/compare"+query, ""); resp.StatusCode !=
			http.StatusUnprocessableEntity {
			t.Errorf("%s: %s\n%s", query, resp.Status, body)
		}
	}
}

func TestListing(t *testing.T) {
	s := newSite(t)
	s.add(oneRun, reporttest.NewRun(t, reporttest.Scene{Clients: 4, Cycles: 14, Fail: true}))
	s.add("getset-none/20261121T110000.000Z", reporttest.NewRun(t, reporttest.Scene{
		Clients: 4, Cycles: 40}))
	write(t, filepath.Join(s.dir, "token-lua-none/20261121T100000.000Z/history.jsonl"),
		`{"type":"header","format":2,"impl":"token-lua","nemesis":"none"}`+"\n")
	old := time.Now().Add(-time.Hour)
	os.Chtimes(filepath.Join(s.dir, "token-lua-none/20261121T100000.000Z/history.jsonl"), old, old)
	_, body := s.ask("GET", "/api/runs", "")
	var l Listing
	if err := json.Unmarshal([]byte(body), &l); err != nil {
		t.Fatal(err)
	}
	l.Store = "store"
	b, _ := json.MarshalIndent(l, "", "  ")
	golden.Compare(t, "listing.json", string(b)+"\n")
}

func TestStoreInABrowser(t *testing.T) {
	s := newSite(t)
	s.add(oneRun, reporttest.NewRun(t, reporttest.Scene{Clients: 4, Cycles: 14, Fail: true}))
	s.add("getset-none/20261121T110000.000Z", reporttest.NewRun(t, reporttest.Scene{
		Clients: 4, Cycles: 40}))
	name := `<img src=x onerror="window.pwned=1">`
	bad := &store.Run{History: &history.History{Header: history.Header{Type: "header", Format: 1,
		Impl: reporttest.Hostile[0], Nemesis: reporttest.Hostile[1]}}, Verdict: &checker.Verdict{
		Format:  checker.Format,
		Verdict: checker.Unknown, Summary: strings.Join(reporttest.Hostile, " ")}}
	s.add(name+"/20261121T130000.000Z", bad)
	b := reporttest.NewBrowser(t)
	b.Allow = s.URL
	b.Do(chromedp.Navigate(s.URL))
	rows := func() int {
		return reporttest.Eval[int](b, `document.querySelectorAll('#runs tbody tr').length`)
	}
	if n := rows(); n != 3 {
		t.Fatalf("%d runs are listed", n)
	}
	if got := reporttest.Eval[string](b, `typeof window.pwned`); got != "undefined" ||
		reporttest.Eval[int](b, `document.querySelectorAll('img').length`) != 0 {
		t.Error("a name became markup")
	}
	b.Do(reporttest.TypeInto("#find", "failover"))
	b.WaitFor(`document.querySelectorAll('#runs tbody tr').length === 1`)
	b.Keys("Escape")
	b.Do(reporttest.ClickOn(`#verdicts [data-value="valid"]`))
	b.WaitFor(`document.querySelectorAll('#runs tbody tr').length === 1`)
	b.Do(reporttest.ClickOn(`#verdicts [data-value="valid"]`),
		reporttest.ClickOn(`th[data-key="impl"] button`))
	if got := reporttest.Eval[string](b,
		`document.querySelector('th[data-key="impl"]').getAttribute('aria-sort')`); got != "ascending" {
		t.Errorf("sorted by lock: %q", got)
	}
	b.Do(reporttest.ClickOn(`[data-path^="getset-none"] .time input`),
		reporttest.ClickOn(`[data-path^="getset-failover"] .time input`))
	if got := reporttest.Eval[string](b, `document.querySelector('#pair a').getAttribute('href')`); got !=
		"/compare?a=getset-none/20261121T110000.000Z&b="+oneRun {
		t.Errorf("two that are ticked lead to %q", got)
	}
	s.add("redlock-none/20261121T140000.000Z", reporttest.NewRun(t, reporttest.Scene{
		Clients: 4, Cycles: 40}))
	b.WaitFor(`document.querySelectorAll('#runs tbody tr').length === 4`) // by itself
	b.Do(reporttest.ClickOn(`a[href$="` + oneRun + `/report.html"]`))
	b.WaitFor(`document.querySelector('#overlap .both') !== null`)
	b.Clean()
}

// write writes a file of a store, with its folders.
func write(t testing.TB, name, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text),
		0o644)); err != nil {
		t.Fatal(err)
	}
}
