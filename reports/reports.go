// Package reports turns what a run left on disk into pages, plots and words that a design review
// can read. Nothing in it judges: what a history means is the checker's to say, and a report shows
// it beside the record that it rests on.
//
// A record is foreign text. Lock names, error texts, Redis arguments and replies are escaped
// wherever they are shown, and what cannot be seen (control characters, marks that turn the
// direction of text) is spelled out; see page.Clean.
package reports
