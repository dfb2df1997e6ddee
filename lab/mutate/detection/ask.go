package detection

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"

	"github.com/lockbench/lockbench/lab/mutate"
)

// ask starts the program with the mutant of a number and reads its output. Number 0 is the original
// lock.
func ask(ctx context.Context, program string, number int, q Question) (r Result, err error) {
	question, err := json.Marshal(q)
	if err != nil {
		return r, err
	}
	c := exec.CommandContext(ctx, program)
	c.Env = append(os.Environ(), mutate.Choice+"="+strconv.Itoa(number), "GOMAXPROCS=2",
		"GOTRACEBACK=none")
	c.Stdin = bytes.NewReader(question)
	var said, wrong bytes.Buffer
	c.Stdout, c.Stderr = &said, &wrong
	ended := c.Run()
	if ctx.Err() != nil {
		return r, ctx.Err()
	}
	last, err := r.read(&said)
	if err != nil {
		return r, err
	}
	r.end(ended, wrong.String(), last)
	return r, nil
}

// read reads the output of a process and returns its last line.
func (r *Result) read(said *bytes.Buffer) (last Line, err error) {
	for lines := bufio.NewScanner(said); lines.Scan(); {
		last = Line{}
		if err := json.Unmarshal(lines.Bytes(), &last); err != nil {
			return last, fmt.Errorf("%q: %w", lines.Text(), err)
		}
		r.Runs = last.Runs
		switch {
		case len(last.Letters) > 0 && last.Drawn:
			r.Drawn = merge(r.Drawn, last)
			r.DrawnMillis = last.Millis
		case len(last.Letters) > 0:
			r.Aimed = merge(r.Aimed, last)
		case last.Departs != "":
			if r.Departs == "" {
				r.Departs = "under " + last.Fault + ": " + last.Departs
			}
		case last.Unknown != "" && r.End == "":
			r.End, r.Words = Idle, last.Unknown
		case strings.Contains(last.Broken, ": panic: "):
			r.End, r.Words = Panics, "under "+last.Fault+": "+last.Broken
		case last.Broken != "" && !strings.Contains(last.Broken, "--moments aimed") && r.End == "":
			r.End, r.Words = Refused, last.Fault+": "+last.Broken
		}
	}
	return last, nil
}

// merge adds a line to the findings. There is one finding for each row and fault.
func merge(all []Finding, l Line) []Finding {
	i := slices.IndexFunc(all, func(f Finding) bool { return f.Row == l.Row && f.Fault == l.Fault })
	if i < 0 {
		return append(all, Finding{l.Row, l.Fault, l.Letters})
	}
	for _, letter := range l.Letters {
		if !slices.Contains(all[i].Letters, letter) {
			all[i].Letters = append(all[i].Letters, letter)
		}
	}
	return all
}

// end records how the process ended.
func (r *Result) end(ended error, wrong string, last Line) {
	var exit *exec.ExitError
	if !errors.As(ended, &exit) {
		if ended != nil {
			r.End, r.Words = Refused, ended.Error()
		}
		return
	}
	at := "under " + last.Fault
	if last.Drawn {
		at += ", drawn"
	}
	switch first, _, _ := strings.Cut(wrong, "\n"); exit.ExitCode() {
	case exitLimit:
		r.End, r.Words = Limit, ""
	case exitHangs:
		r.End, r.Words = Hangs, at
	case 2: // a panic
		r.End, r.Words = Panics, at+": "+first
	default:
		r.End, r.Words = Refused, first
	}
}
