package reports

import (
	"crypto/sha256"
	"encoding/base64"
	"regexp"
	"strings"
)

var scripts = regexp.MustCompile(`(?s)<script>(.*?)</script>`)

// slice embeds porcupine's page in a frame that may run nothing but porcupine's own scripts.
func (p *page) slice(r Run) {
	allowed := []string{timelineJS}
	b := r.Slice
	if b == nil && r.Verdict != nil {
		b, _ = r.Verdict.Visual()
	}
	if len(b) > 600_000 {
		p.note("porcupine's page of the failing slice, which is too large")
		b = nil
	}
	for _, m := range scripts.FindAllSubmatch(b, -1) {
		allowed = append(allowed, string(m[1]))
	}
	p.Slice = string(b)
	p.CSP = policyFor(allowed...)
}

// policyFor allows a page these scripts and nothing else: no network, no forms, no frames but its
// own. Even a text that escaped its escaping would do nothing.
func policyFor(scripts ...string) string {
	var hashes []string
	for _, s := range scripts {
		sum := sha256.Sum256([]byte(s))
		hashes = append(hashes, "'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'")
	}
	return "default-src 'none'; base-uri 'none'; form-action 'none'; img-src data:; style-src 'unsafe-inline'; frame-src 'self'; script-src " + strings.Join(hashes, " ")
}
