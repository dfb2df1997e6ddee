package history

import (
	"encoding/json"
	"io"
)

// WriteDocument writes a value as all JSON documents of lockbench are written (plan.json,
// verdict.json, matrix.json and what --json prints): indented for people, and with <, > and & as
// they are, since the page that shows them escapes them.
func WriteDocument(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}
