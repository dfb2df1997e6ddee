package checker

import (
	"strings"
	"testing"
)

// TestWords: a violation is told by who and what caused it, and by nothing else.
func TestWords(t *testing.T) {
	for _, c := range wordCases {
		t.Run(c.property+" "+c.name, func(t *testing.T) {
			v := Check(story(t, c.story), commands(t, c.trace), Options{Properties: []string{c.property}})
			p := v.Properties[0]
			if p.Verdict != Violated || !strings.Contains(p.Explanation, c.want) ||
				c.without != "" && strings.Contains(p.Explanation, c.without) {
				t.Errorf("%s\ngot  %s\nwant %s\nwithout %s", p.Verdict, p.Explanation+p.Reason, c.want,
					c.without)
			}
		})
	}
}
