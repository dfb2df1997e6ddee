package store_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/lockbench/lockbench/internal/run/store"
)

// TestJudgingAddsWhatScriptsDid wants what a node showed of a script in the trace, once, however
// often the run is judged; and nothing behind a line that is not whole.
func TestJudgingAddsWhatScriptsDid(t *testing.T) {
	const whole = `{"process":0,"seq":1,"n":1,"node":"n0","sent":10,"args":["EVAL","s","1","k"]}
{"process":0,"seq":1,"n":1,"node":"n0","recv":20,"reply":"1"}
`
	const done = `{"process":0,"seq":1,"effects":[["get","k"],["del","k"]]}` + "\n"
	const get = `{"process":0,"seq":1,"n":1,"node":"n0","sent":10,"args":["GET","k"]}` + "\n"
	for name, c := range map[string]struct {
		trace, want string
		known       int
	}{
		"a whole trace":   {whole, whole + done, 2},
		"one cut short":   {whole + `{"proc`, whole + `{"proc`, 2},
		"nothing to know": {get, get, 0},
	} {
		dir := t.TempDir()
		record(t, dir)
		stream := `{"t":1015,"line":"1.5 [0 127.0.0.1:1] \"EVAL\" \"s\" \"1\" \"k\""}
{"t":1015,"line":"1.5 [0 lua] \"get\" \"k\""}
{"t":1015,"line":"1.5 [0 lua] \"del\" \"k\""}
`
		_ = os.Mkdir(filepath.Join(dir, store.Nodes), 0o755)
		for file, text := range map[string]string{store.Nodes + "/n0.jsonl": stream,
			store.Trace: c.trace} {
			if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		for range 2 {
			r, err := store.Judge(dir)
			if err != nil {
				t.Fatal(name, err)
			}
			if n := len(r.Trace[0].Effects); n != c.known {
				t.Errorf("%s: %d effects are known, not %d", name, n, c.known)
			}
		}
		if b, _ := os.ReadFile(filepath.Join(dir, store.Trace)); string(b) != c.want {
			t.Errorf("%s: the trace is now\n%s", name, b)
		}
	}
}
