package history

import (
	"encoding/json"
	"io"
)

// WriteDocument writes a value in the form of all JSON documents of lockbench (plan.json,
// verdict.json, matrix.json and the output of --json). It is indented for people. It has <, > and &
// unescaped, because the pages escape them.
func WriteDocument(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}
