package reports

import (
	"regexp"

	"github.com/lockbench/lockbench/reports/page"
	"github.com/lockbench/lockbench/reports/timeline"
	"github.com/lockbench/lockbench/reports/view"
)

var scripts = regexp.MustCompile(`(?s)<script>(.*?)</script>`)

// slice embeds porcupine's page in a frame that may run nothing but porcupine's own scripts.
func (p *runPage) slice(v *view.View) {
	allowed := []string{timeline.JS}
	var b []byte
	if v.Verdict != nil {
		b, _ = v.Verdict.Visual()
	}
	if len(b) > 600_000 {
		p.note("porcupine's page of the failing slice (too large)")
		b = nil
	}
	for _, m := range scripts.FindAllSubmatch(b, -1) {
		allowed = append(allowed, string(m[1]))
	}
	p.Slice = string(b)
	p.CSP = page.PolicyFor(allowed...)
}
