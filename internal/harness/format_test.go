package harness

import (
	"strings"
	"testing"
)

// TestPlansOfAnotherFormatAreRefused wants one line that says which format the plan has, also where
// its fields are not those of today.
func TestPlansOfAnotherFormatAreRefused(t *testing.T) {
	for text, want := range map[string]string{
		`{"world":"sim"}`:            "plan.json: it has no format; this lockbench reads format 2",
		`{"format":1,"world":"sim"}`: "plan.json: it has format 1; this lockbench reads format 2",
		`{"format":3}`:               "plan.json: it has format 3; this lockbench reads format 2",
	} {
		if _, err := ReadPlan(strings.NewReader(text)); err == nil || err.Error() != want {
			t.Errorf("%s: %v; want %q", text, err, want)
		}
	}
}
