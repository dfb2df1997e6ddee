// Package reports turns the files of a run into pages, plots and words that a design review can
// read. It judges nothing: the checker decides what a history means, and a report shows the verdict
// with the record that supports it.
//
// A record is foreign text. Reports escape lock names, error texts, Redis arguments and replies
// everywhere. They spell out invisible characters (control characters, marks that turn the
// direction of text); see page.Clean.
package reports
