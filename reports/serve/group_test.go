package serve

import (
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/lockbench/lockbench/reports/reporttest"
)

// manyRuns makes a store of so many runs, of which each test has some in a row.
func manyRuns(t *testing.T, n int) *Server {
	t.Helper()
	dir := t.TempDir()
	for i := range n {
		run := filepath.Join(dir, fmt.Sprintf("getset-replay-failover-%d", i/1000),
			fmt.Sprintf("20261122T%06d.%03dZ", i/1000, i%1000))
		if err := os.MkdirAll(run, 0o755); err != nil {
			t.Fatal(err)
		}
		for name, text := range map[string]string{
			"history.jsonl": `{"type":"header","format":2,"impl":"getset","nemesis":"failover"}` + "\n",
			"verdict.json":  `{"format":2,"verdict":"violated","summary":"bad","properties":[]}`} {
			if err := os.WriteFile(filepath.Join(run, name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	s, err := NewServer(dir, "127.0.0.1:80")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// TestAFullStore lists the newest runs, reads no more than those, and counts the others.
func TestAFullStore(t *testing.T) {
	const n, most = 150, 100
	s := manyRuns(t, n)
	l := s.newest(most)
	if len(l.Items) != most || l.Left != n-most || len(s.known) != most {
		t.Errorf("%d are listed, %d left, %d read", len(l.Items), l.Left, len(s.known))
	}
}

// TestALargeStoreOpensAtOnce reads the first runs for the page, and the others when its script
// asks.
func TestALargeStoreOpensAtOnce(t *testing.T) {
	const n = firstListed + 50
	s := manyRuns(t, n)
	web := httptest.NewServer(s)
	defer web.Close()
	s.hosts = append(s.hosts, web.Listener.Addr().String())
	page := httptest.NewRecorder()
	s.list(page, nil)
	if len(s.known) != firstListed || !strings.Contains(page.Body.String(), `"first":true`) {
		t.Errorf("the page has read %d of %d runs", len(s.known), n)
	}
	b := reporttest.NewBrowser(t)
	b.Allow = web.URL
	b.Do(chromedp.Navigate(web.URL))
	b.WaitFor(fmt.Sprintf(`document.getElementById('told').textContent.startsWith('%d runs')`, n))
	b.Clean()
}

// TestManyRunsInARowAreOneLine opens and closes it.
func TestManyRunsInARowAreOneLine(t *testing.T) {
	s := manyRuns(t, 22)
	web := httptest.NewServer(s)
	defer web.Close()
	s.hosts = append(s.hosts, web.Listener.Addr().String())
	b := reporttest.NewBrowser(t)
	b.Allow = web.URL
	b.Do(chromedp.Navigate(web.URL))
	b.WaitFor(`document.querySelectorAll('#runs tbody tr').length === 1`)
	if got := reporttest.Eval[string](b, `document.querySelector('tr.group').innerText`); got == "" {
		t.Error("the line says nothing")
	}
	b.Do(reporttest.ClickOn("tr.group button"))
	b.WaitFor(`document.querySelectorAll('#runs tbody tr').length === 23`)
	b.Do(reporttest.ClickOn("tr.group button"))
	b.WaitFor(`document.querySelectorAll('#runs tbody tr').length === 1`)
	b.Clean()
}
