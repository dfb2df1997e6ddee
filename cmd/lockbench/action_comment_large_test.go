package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lockbench/lockbench/internal/dev/testenv"
)

// comment is a comment of a pull request, as GitHub has it.
type comment struct {
	ID   int               `json:"id"`
	Body string            `json:"body"`
	User map[string]string `json:"user"`
}

// talk is the part of GitHub that keeps the comments of pull request 7. It has a page that is full.
func talk(t *testing.T) (all *[]comment, url string) {
	t.Helper()
	all = &[]comment{}
	for i := range 100 {
		*all = append(*all, comment{i, "<!-- lockbench gate: lockbench.yaml -->",
			map[string]string{"type": "User"}})
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		var c comment
		_ = json.Unmarshal(b, &c)
		switch {
		case r.Header.Get("Authorization") != "Bearer secret":
			w.WriteHeader(http.StatusForbidden)
		case r.Method == "GET" && r.URL.Path == "/repos/o/r/issues/7/comments":
			var page int
			fmt.Sscan(r.URL.Query().Get("page"), &page)
			from := min((page-1)*100, len(*all))
			_ = json.NewEncoder(w).Encode((*all)[from:min(from+100, len(*all))])
		case r.Method == "POST" && r.URL.Path == "/repos/o/r/issues/7/comments":
			*all = append(*all, comment{len(*all), c.Body, map[string]string{"type": "Bot"}})
		case r.Method == "PATCH":
			var id int
			fmt.Sscan(strings.TrimPrefix(r.URL.Path, "/repos/o/r/issues/comments/"), &id)
			(*all)[id].Body = c.Body
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(s.Close)
	return all, s.URL
}

// TestTheActionUpdatesItsOneComment posts it once, and leaves the comments of people alone.
func TestTheActionUpdatesItsOneComment(t *testing.T) {
	testenv.Part(t, "curl")
	testenv.Part(t, "jq")
	all, url := talk(t)
	dir := t.TempDir()
	say := func(event, summary, gate string) {
		t.Helper()
		for name, text := range map[string]string{"event": event, "summary.md": summary} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		script, _ := filepath.Abs("../../.ci/comment")
		c := exec.Command("bash", script)
		c.Env = append(os.Environ(), "TOKEN=secret", "GATE="+gate, "DIRECTORY="+dir,
			"GITHUB_REPOSITORY=o/r", "GITHUB_API_URL="+url,
			"GITHUB_EVENT_PATH="+filepath.Join(dir, "event"))
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	pull := `{"pull_request": {"number": 7}}`
	say(pull, "first \"result\"\n", "lockbench.yaml")
	say(pull, "second\n", "lockbench.yaml")
	say(pull, "of another gate\n", "ci/--other.yaml")
	say(`{"push": 1}`, "of a push\n", "lockbench.yaml")
	if len(*all) != 102 {
		t.Fatalf("%d comments, want 102", len(*all))
	}
	for i, want := range map[int]string{99: "<!-- lockbench gate: lockbench.yaml -->",
		100: "<!-- lockbench gate: lockbench.yaml -->\n\nsecond\n",
		101: "<!-- lockbench gate: ci/-other.yaml -->\n\nof another gate\n"} {
		if got := (*all)[i].Body; got != want {
			t.Errorf("comment %d is %q, want %q", i, got, want)
		}
	}
}
