package batch

import (
	"strings"
	"testing"
)

// TestDocumentsOfAnotherFormatAreRefused wants one line that says which format the document has.
func TestDocumentsOfAnotherFormatAreRefused(t *testing.T) {
	for text, want := range map[string]string{
		`{"n":1}`:               "it has no format; this lockbench reads format 2",
		`{"format":1}`:          "it has format 1; this lockbench reads format 2",
		`{"n":1,"format":3}`:    "it has format 3; this lockbench reads format 2",
		`{"n": 1, "format": 2}`: "",
	} {
		_, err := ReadDocument[part](strings.NewReader(text), "part.json")
		_, lineErr := ReadLines[part](strings.NewReader(text))
		if want == "" {
			if err != nil || lineErr != nil {
				t.Errorf("%s: %v, %v", text, err, lineErr)
			}
			continue
		}
		if err == nil || err.Error() != "part.json: "+want ||
			lineErr == nil || lineErr.Error() != "line 1: "+want {
			t.Errorf("%s: %v, %v; want %q", text, err, lineErr, want)
		}
	}
}
