package docker

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/moby/moby/client"
)

// TestAFreezeThatFailsIsTriedAgain asks a daemon whose runtime gives up: often, as beside a busy
// disk, and then that has no such container any more, which no wait mends.
func TestAFreezeThatFailsIsTriedAgain(t *testing.T) {
	for name, c := range map[string]struct {
		fails  int32 // how many pauses the runtime gives up
		then   int
		freeze bool
	}{
		"a busy disk":      {30, http.StatusNoContent, true},
		"a dead container": {0, http.StatusConflict, false},
		"no container":     {2, http.StatusNotFound, false},
	} {
		t.Run(name, func(t *testing.T) {
			asked := runtimeThatGivesUp(t, c.fails, c.then)
			asker, err := client.New(client.FromEnv)
			if err != nil {
				t.Fatal(err)
			}
			defer asker.Close()
			b := newInstance(&daemon{Client: asker})
			b.id = "c"
			close(b.made)
			if err := b.Pause(); (err == nil) != c.freeze {
				t.Error(err)
			}
			if n := asked.Load(); n != c.fails+1 {
				t.Errorf("it was asked %d times", n)
			}
		})
	}
}

// runtimeThatGivesUp is a daemon that fails to freeze a number of times and then answers so. It
// counts what it is asked.
func runtimeThatGivesUp(t *testing.T, fails int32, then int) *atomic.Int32 {
	t.Helper()
	var asked atomic.Int32
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Api-Version", "1.46")
		if !strings.HasSuffix(r.URL.Path, "/pause") {
			return
		}
		status := then
		if asked.Add(1) <= fails {
			status = http.StatusInternalServerError
		}
		w.WriteHeader(status)
	}))
	t.Cleanup(s.Close)
	t.Setenv("DOCKER_HOST", "tcp://"+strings.TrimPrefix(s.URL, "http://"))
	return &asked
}
