// Package docs holds the records that this project's pages are made from, for programs that look
// something up in them.
package docs

import "embed"

// Records are those of the matrix, of the released libraries, of how often each letter is found on
// real Redis and by a search without an aim, and of the mitigations.
//
//go:embed matrix.json libraries.json soak-process.json mitigations.json searched.json
var Records embed.FS
