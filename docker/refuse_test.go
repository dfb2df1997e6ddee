package docker

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/lockbench/lockbench/internal/dev/testenv"
)

// askEnv makes the test binary ask for an environment in containers and print what it is told.
const askEnv = "LOCKBENCH_ASK"

// asked prints why there is no environment, for a test that has to run as another user.
func asked() int {
	fmt.Print(Ready(context.Background(), Options{}))
	return 0
}

// pretend starts a daemon that gives these answers by the end of the path, and has lockbench use
// it.
func pretend(t *testing.T, api string, answers map[string]string) {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Api-Version", api)
		w.Header().Set("Content-Type", "application/json")
		for end, answer := range answers {
			if strings.HasSuffix(r.URL.Path, end) {
				if text, failed := strings.CutPrefix(answer, "500 "); failed {
					w.WriteHeader(http.StatusInternalServerError)
					answer = `{"message":"` + text + `"}`
				}
				fmt.Fprint(w, answer)
				return
			}
		}
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprint(w, `{"message":"No such image"}`)
	}))
	t.Cleanup(s.Close)
	t.Setenv("DOCKER_HOST", "tcp://"+strings.TrimPrefix(s.URL, "http://"))
}

// current are the answers of a daemon that works, and has no image.
var current = map[string]string{"/_ping": "OK",
	"/version": `{"Version":"27.0.0","ApiVersion":"1.46","MinAPIVersion":"1.24"}`,
	"/info":    `{"OperatingSystem":"Linux"}`}

// with are current answers and another.
func with(path, answer string) map[string]string {
	out := map[string]string{path: answer}
	for p, a := range current {
		if p != path {
			out[p] = a
		}
	}
	return out
}

func TestWhatADaemonRefusesIsSaidInOneLine(t *testing.T) {
	const noRegistry = "500 Get https://registry-1.docker.io/v2/: dial tcp: " +
		"lookup registry-1.docker.io: no such host"
	for name, c := range map[string]struct {
		api     string
		answers map[string]string
		options Options
		advice  []string
	}{
		"too old": {"1.30", current,
			Options{}, []string{"is too old", "install Docker 20.10 or newer"}},
		"too new": {"1.99", with("/version",
			"500 client version 1.55 is too old. Minimum supported API version is 1.70"),
			Options{}, []string{"wants a newer lockbench"}},
		"broken": {"1.46", with("/version", "500 something is wrong"),
			Options{}, []string{"something is wrong"}},
		"no daemon at all": {"", map[string]string{"/version": "<html>", "/_ping": "<html>"},
			Options{}, []string{"the Docker daemon at tcp://"}},
		"our image is missing": {"1.46", current, Options{},
			[]string{"the image lockbench/redis:7 is missing", "docker/base-image",
				"docker build -t lockbench/redis:7"}},
		"no registry": {"1.46", with("/images/create", noRegistry),
			Options{Image: "redis:7"}, []string{"the image redis:7 is not here",
				"no such host", "docker pull"}},
		"no such image": {"1.46", with("/images/create", "500 pull access denied for nothing"),
			Options{Image: "nothing"}, []string{"pull access denied", "docker/base-image"}},
		"bad image": {"1.46", current, Options{Image: "No Image"}, []string{"No Image"}},
		"workers": {"1.46", current,
			Options{Network: Bridge, Workers: InContainer}, []string{"another clock", "leave it out"}},
		"no such place": {"1.46", current, Options{Workers: "moon"}, []string{"container"}},
		"no such net":   {"1.46", current, Options{Network: "overlay"}, []string{"host, bridge"}},
		"windows": {"1.46", with("/info", `{"OSType":"windows"}`),
			Options{}, []string{"switch Docker Desktop to Linux containers"}},
		"host is far": {"1.46", current,
			Options{Network: Host}, []string{"may be on another machine", "bridge"}},
	} {
		t.Run(name, func(t *testing.T) {
			pretend(t, c.api, c.answers)
			demand(t, Ready(t.Context(), c.options), c.advice...)
		})
	}
}

// demand says what an error lacks: it is one line and names what to do.
func demand(t *testing.T, err error, advice ...string) {
	t.Helper()
	if err == nil {
		t.Fatal("nothing was refused")
	}
	for _, a := range advice {
		if !strings.Contains(err.Error(), a) || strings.Contains(err.Error(), "\n") {
			t.Errorf("said %q; it must name %q in one line", err, a)
		}
	}
}

func TestWhereNoDaemonIs(t *testing.T) {
	for host, advice := range map[string]string{
		"unix:///nowhere/docker.sock": "sudo systemctl start docker",
		"tcp://127.0.0.1:1":           "no Docker daemon answers at tcp://127.0.0.1:1",
		"nonsense":                    "DOCKER_HOST=nonsense",
	} {
		t.Setenv("DOCKER_HOST", host)
		demand(t, Ready(t.Context(), Options{}), advice)
	}
}

func TestADaemonThatHangs(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0") // connections are made, and not answered
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	t.Setenv("DOCKER_HOST", "tcp://"+ln.Addr().String())
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	demand(t, Ready(ctx, Options{}), "did not answer within", "docker info")
}

// TestAnImageThatIsNoRedis is refused before anything of the run exists.
func TestAnImageThatIsNoRedis(t *testing.T) {
	testenv.Part(t, "docker")
	empty := "lockbench/empty:test"
	build := exec.Command("sh", "-c", "tar c -T /dev/null | docker import - "+empty)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	t.Cleanup(func() { _ = exec.Command("docker", "rmi", empty).Run() })
	demand(t, Ready(t.Context(), Options{Image: empty}), "redis-server", empty)
}
