package watch_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/lockbench/lockbench/internal/run/watch"
	page "github.com/lockbench/lockbench/reports/watch"
)

// TestThePageShowsForeignTextAsText has a key and a command that would be markup.
func TestThePageShowsForeignTextAsText(t *testing.T) {
	s := &watch.Summary{Answer: "Violated: 1 × overrun.", Keys: []watch.KeyStats{{Key: "<script>"}},
		Events: []watch.Event{{Kind: watch.Overrun, Key: "lock:<b>", Text: "late",
			Witness: []string{"1.5 a DEL \u202e<b>"}}}}
	var b bytes.Buffer
	if err := page.WriteHTML(&b, s, "127.0.0.1:6379", "lock:*"); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"<script>", "<b>", "\u202e"} {
		if strings.Contains(b.String(), bad) {
			t.Errorf("%q is in the page", bad)
		}
	}
	for _, want := range []string{"Violated: 1 × overrun.", "lock:&lt;b&gt;", "1.5 a DEL "} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is missing", want)
		}
	}
}
