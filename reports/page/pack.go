package page

import (
	"bytes"
	"compress/flate"
	_ "embed"
	"encoding/base64"
	"html/template"
	"io"
)

// Unpack is the script of a page with packed parts. It runs the part "drawing".
//
//go:embed unpack.js
var Unpack string

// Pack compresses a part of a page, which Unpack inflates: a JSON string for a script element.
func Pack(part string) template.JS {
	var b bytes.Buffer
	w, _ := flate.NewWriter(&b, flate.BestCompression) // fails for a level that does not exist
	_, _ = io.WriteString(w, part)                     // a Buffer takes everything
	w.Close()
	return template.JS(`"` + base64.StdEncoding.EncodeToString(b.Bytes()) + `"`)
}
