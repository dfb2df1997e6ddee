// Package page has the parts that all pages share: the style sheet, the content security policy,
// and the writing of foreign text so that a reader sees all of it and no program obeys it.
package page

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"strings"

	"github.com/lockbench/lockbench/checker"
)

// CSS is the style sheet that every page begins with.
//
//go:embed base.css
var CSS string

// Link says where the report of a run directory is to be found, relative to the page; "" if there
// is none.
type Link func(dir string) string

// Place is a link to another page of lockbench, with its text.
type Place struct{ Href, Text string }

// State returns the class of a result in the style sheets.
func State(r checker.Result) string {
	switch r {
	case checker.Violated, checker.Valid:
		return string(r)
	case checker.NA:
		return "na"
	}
	return "unknown"
}

// PolicyFor allows a page these scripts and nothing else: no network, no forms, no frames but its
// own. Even a text that escaped its escaping would do nothing.
func PolicyFor(scripts ...string) string {
	var hashes []string
	for _, s := range scripts {
		sum := sha256.Sum256([]byte(s))
		hashes = append(hashes, "'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'")
	}
	return "default-src 'none'; base-uri 'none'; form-action 'none'; img-src data:; " +
		"style-src 'unsafe-inline'; frame-src 'self'; script-src " + strings.Join(hashes, " ")
}
