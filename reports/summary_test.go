package reports

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func TestSummary(t *testing.T) {
	for name, s := range map[string]scene{
		"violated": {clients: 4, cycles: 14, fail: true}, "valid": {clients: 4, cycles: 40}, "unknown": {
			clients: 4, cycles: 3},
	} {
		r := newRun(t, s)
		// the only things that differ from run to run
		r.Verdict.Porcupine.Took, r.Verdict.Porcupine.Version = 210e3, "v1.3.1"
		for i := range r.Verdict.Properties {
			r.Verdict.Properties[i].Explanation =
				"Client 0 was granted lock 0 by n0 at 0.061 s; the rest of these words is the checker's to write and to test, and is as long as this so that lines are wrapped."
		}
		var plain, coloured bytes.Buffer
		if err := Summary(&plain, seen(t, r), false); err != nil {
			t.Fatal(err)
		}
		if err := Summary(&coloured, seen(t, r), true); err != nil {
			t.Fatal(err)
		}
		golden := filepath.Join("testdata", "summary-"+name+".txt")
		if *update {
			if err := os.WriteFile(golden, plain.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), plain.String()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if uncoloured(coloured.String()) != plain.String() {
			t.Errorf("%s: colour changes the words", name)
		}
	}
}

func uncoloured(s string) string {
	var b bytes.Buffer
	esc := false
	for _, r := range s {
		switch {
		case r == '\x1b':
			esc = true
		case esc:
			esc = r != 'm'
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
