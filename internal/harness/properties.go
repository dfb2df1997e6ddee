package harness

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/history"
)

// Judgeable says which of the properties there is none of.
func Judgeable(properties []string) error {
	all := history.Properties()
	for _, p := range properties {
		if !slices.Contains(all, p) {
			return fmt.Errorf("unknown property %q; there are: %s", p, strings.Join(all, ", "))
		}
	}
	return nil
}

// Expectable says what is wrong with an expectation: it is valid, violated, or a list of
// properties.
func Expectable(expect string) error {
	if expect == "" || expect == "valid" || expect == "violated" {
		return nil
	}
	if err := Judgeable(strings.Split(expect, ",")); err != nil {
		return fmt.Errorf("--expect %q is neither valid nor violated: %w", expect, err)
	}
	return nil
}
