package harness

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/internal/history"
)

// Judgeable returns an error that names the first of the properties that does not exist.
func Judgeable(properties []string) error {
	all := history.Properties()
	for _, p := range properties {
		if !slices.Contains(all, p) {
			return fmt.Errorf("unknown property %q; there are: %s", p, strings.Join(all, ", "))
		}
	}
	return nil
}

// Expectable returns an error if an expectation is invalid; see history.ParseExpectation.
func Expectable(expect string) error {
	if expect == "" {
		return nil
	}
	e := history.ParseExpectation(expect)
	if err := Judgeable(e.Letters); err != nil {
		return fmt.Errorf("--expect %q is unknown; write valid, violated, starved, letters such as S,L, "+
			"or exactly:S,L: %w", expect, err)
	}
	if e.Exactly && len(e.Letters) == 0 {
		return fmt.Errorf("--expect %q names no letter; write --expect exactly:S,L", expect)
	}
	return nil
}
