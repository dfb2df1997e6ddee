package watch_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/lockbench/lockbench/internal/dev/testenv"
	"github.com/lockbench/lockbench/internal/run/watch"
)

// TestMetrics asks as Prometheus does, while the judge goes on.
func TestMetrics(t *testing.T) {
	j := watch.New(watch.Options{Pattern: "lock:*", Clients: true})
	for _, c := range shown(t, `0 x FLUSHALL
1 a SET lock:"q" aaaaaaaa NX PX 1000
1.5 b SET lock:"q" bbbbbbbb NX PX 1000
2.1 a SET lock:"q" cccccccc NX PX 100
2.4 a DEL lock:"q"
2.5 b PING
`) {
		j.Add(c)
	}
	var m watch.Metrics
	m.Update(j)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go m.Serve(l)
	var judging sync.WaitGroup
	defer judging.Wait()
	judging.Go(func() {
		for i := range 300 {
			text := fmt.Sprintf("%d a SET lock:\"q\" value-%d NX PX 1000\n%d.5 a DEL lock:\"q\"\n"+
				"%d.6 a EVALSHA x 1 lock:\"q\" value-%d\n", 3+2*i, i, 4+2*i, 4+2*i, i)
			for _, c := range shown(t, text) {
				j.Add(c)
			}
		}
	})
	r, err := http.Get("http://" + l.Addr().String() + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	text, _ := io.ReadAll(r.Body)
	for _, want := range []string{"# TYPE lockbench_watch_calls_total counter\n",
		`lockbench_watch_found_total{key="lock:\\\"q\\\"",kind="overrun"} 1` + "\n",
		`lockbench_watch_calls_total{key="lock:\\\"q\\\"",result="refused"} 1` + "\n"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// TestNames has a script whose effect was never seen, and a key to ignore.
func TestNames(t *testing.T) {
	n, err := watch.ReadNames("names.yaml", []byte(`
keys: {"lock:x": "the stock", "lock:c*": ignore}
scripts: {rel: release}
`))
	if err != nil {
		t.Fatal(err)
	}
	s, got := judged(t, watch.Options{Names: n}, "1 a SET lock:x aaaaaaaa NX PX 1000\n"+
		"1 a SETNX lock:c 1\n"+release("3.5", "a", "aaaaaaaa"))
	if got != "overrun lock:x a\n" || len(s.Keys) != 1 ||
		s.Keys[0].ShapeName() != "the stock (SET NX)" {
		t.Errorf("%s%+v", got, s.Keys)
	}
	for _, bad := range []string{"keys: 3", "scripts: {abc: maybe}", "other: 1"} {
		if _, err := watch.ReadNames("names.yaml", []byte(bad)); err == nil {
			t.Errorf("%s was read", bad)
		}
	}
}

// TestMemoryIsBounded judges many commands on many keys, by many clients. A soak judges ten
// million.
func TestMemoryIsBounded(t *testing.T) {
	n := 200_000
	if testenv.Soak() {
		n = 10_000_000
	}
	in, out := io.Pipe()
	go func() {
		fmt.Fprintln(out, `1800000000.000000 [0 10.0.0.9:5000] "FLUSHALL"`)
		for i := 0; i < n; i += 4 {
			at := fmt.Sprintf("18%08d.%06d", i/2000, i%2000*500)
			key, value := fmt.Sprintf(`"lock:%d"`, i/4%50_000), fmt.Sprintf(`"value-%d"`, i)
			from := fmt.Sprintf("[0 10.0.%d.%d:%d]", i/4%7, i/4%250, 1024+i/4%60_000)
			fmt.Fprintf(out, "%s %s \"SET\" %s %s \"NX\" \"PX\" \"30000\"\n", at, from, key, value)
			fmt.Fprintf(out, "%s %s \"SET\" %s \"other\" \"NX\"\n", at, from, key)
			fmt.Fprintf(out, "%s %s \"EVALSHA\" \"rel%d\" \"1\" %s %s\n%s [0 lua] \"DEL\" %s\n", at, from,
				i%3_000, key, value, at, key)
		}
		out.Close()
	}()
	most := uint64(0)
	s, err := watch.Read(in, watch.Options{Pattern: "lock:*"}, func(*watch.Judge) {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		most = max(most, m.HeapAlloc)
	})
	if err != nil || s.Exit != 0 || s.Commands < n/2 {
		t.Errorf("%v: %s", err, s.Answer)
	}
	if t.Logf("%d MB", most>>20); most > 150<<20 {
		t.Errorf("%d MB of heap", most>>20)
	}
}
