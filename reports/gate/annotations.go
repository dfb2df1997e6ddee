package gate

import (
	"fmt"
	"io"
	"strings"

	"github.com/lockbench/lockbench/internal/campaign/gate"
	"github.com/lockbench/lockbench/internal/run/batch"
)

// mostAnnotations is the number of annotations that GitHub shows for one step.
const mostAnnotations = 10

// WriteAnnotations writes unexpected results as workflow commands. GitHub shows them at the lines
// of the gate file.
func WriteAnnotations(w io.Writer, r *gate.Result) error {
	lines := map[string]int{}
	for _, e := range r.Gate.Entries {
		lines[e.Name] = e.Line
	}
	left := mostAnnotations
	for _, e := range r.InOrder() {
		if e.Result == gate.Passed || left == 0 {
			continue
		}
		left--
		kind := "error"
		if e.Result == gate.Allowed {
			kind = "warning"
		}
		_, err := fmt.Fprintf(w, "::%s file=%s,line=%d,title=%s::%s\n", kind, property(r.Gate.File),
			max(lines[e.Name], 1), property(e.Name), data(e.Claim))
		if err != nil {
			return err
		}
	}
	return nil
}

// data escapes the message of a workflow command, so that it neither ends the line nor starts a
// command.
func data(s string) string { return strings.ReplaceAll(batch.Plain(s), "%", "%25") }

// property escapes a property of a workflow command.
func property(s string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(data(s))
}
