// Package batchtest has the helpers that the tests of matrix, gate, compare and study share.
package batchtest

import (
	"strings"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/run/batch"
)

// Verdict returns a verdict that violates the given letters. All other letters have the result
// rest.
func Verdict(rest checker.Result, violated string) *checker.Verdict {
	v := &checker.Verdict{Format: checker.Format, Verdict: rest}
	for _, l := range batch.Properties {
		p := checker.Property{Property: l, Verdict: rest}
		if strings.Contains(violated, l) {
			p.Verdict, p.Class, p.Explanation = checker.Violated, checker.LeaseOverrun,
				"Client 0 was granted lock 0 & <b>stayed</b>."
			v.Verdict = checker.Violated
		}
		v.Properties = append(v.Properties, p)
	}
	return v
}

// ErrText returns the text of an error, or "" for nil.
func ErrText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
