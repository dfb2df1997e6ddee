// Package study is what only this project's own pages need: the claims of the documents, the
// mitigations, how often each letter is found, the table that the simulator decides, and the pages
// that are made from all that.
package study
