package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/runner"
)

// The exit codes of all verbs (docs/commands.md, Exit codes), beside those of a verdict
// (checker.ExitExpected and the following).
const (
	exitUsage       = 254 // the user must change something
	exitBroken      = checker.ExitBroken
	exitInterrupted = 130
)

// exitCode is the exit code for an error of a verb. An error that says nothing else is one that the
// user can mend, such as an unknown flag.
func exitCode(err error) int {
	var coded exit
	var broke runner.BrokenError
	switch {
	case errors.As(err, &coded):
		return coded.code
	case errors.As(err, &broke):
		return exitBroken
	case errors.Is(err, context.Canceled):
		return exitInterrupted
	}
	return exitUsage
}

// exit is an error with an exit code of its own. Without an error in it nothing is printed: the
// verb has printed its result.
type exit struct {
	code int
	err  error
}

func (e exit) Error() string {
	if e.err == nil {
		return ""
	}
	return e.err.Error()
}

func (e exit) Unwrap() error { return e.err }

// output is standard output. A verb whose result could not be written did not do its work, whatever
// it makes of the error.
type output struct {
	w   io.Writer
	err error // of the first write that failed
}

func (o *output) Write(b []byte) (int, error) {
	n, err := o.w.Write(b)
	if err != nil && o.err == nil {
		o.err = broken(fmt.Errorf("the output cannot be written: %w", err))
	}
	return n, err
}

// The most that an error repeats of what it is about.
const (
	longWord = 300
	longText = 4000
)

var longWords = regexp.MustCompile(fmt.Sprintf(`(\S{%d})\S{%d,}`, longWord/3, longWord*2/3))

// brief is the text of an error with words and an end that a person can read: it may repeat what a
// user, a file or a server said, of any length.
func brief(text string) string {
	text = longWords.ReplaceAllString(text, "$1…")
	if len(text) > longText {
		text = strings.ToValidUTF8(text[:longText], "") + "…"
	}
	return text
}

// result is nil for exit code 0, and otherwise an exit that prints nothing.
func result(code int) error {
	if code == 0 {
		return nil
	}
	return exit{code: code}
}

// broken marks an error as one that lockbench made and not the user.
func broken(err error) error {
	if err == nil {
		return nil
	}
	return runner.BrokenError{Err: err}
}

// interrupted is the error of a verb that Ctrl-C ended.
func interrupted(rest string) error {
	return exit{exitInterrupted, errors.New("interrupted; " + rest)}
}
