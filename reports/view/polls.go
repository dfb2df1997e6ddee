package view

import (
	"cmp"
	"slices"

	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/reports/page"
)

// Polls is a command, and how many more like it followed: a client that waits asks the same again
// and again.
type Polls struct {
	history.Command
	More int // times
}

// Group joins repeated questions with equal answers of one client, keeping the last round apart. A
// round may be of several commands: SETNX, GET, and again.
func Group(cs []history.Command) []Polls {
	byClient := map[int][]history.Command{}
	for _, c := range cs {
		byClient[c.Process] = append(byClient[c.Process], c)
	}
	var out []Polls
	for _, own := range byClient {
		for i := 0; i < len(own); {
			length, rounds := cycle(own[i:])
			if rounds < 3 {
				out = append(out, Polls{Command: own[i]})
				i++
				continue
			}
			for _, c := range own[i : i+length] {
				out = append(out, Polls{Command: c})
			}
			out[len(out)-1].More = rounds - 2
			for _, c := range own[i+length*(rounds-1) : i+length*rounds] {
				out = append(out, Polls{Command: c})
			}
			i += length * rounds
		}
	}
	slices.SortStableFunc(out, func(a, b Polls) int {
		return cmp.Or(cmp.Compare(a.Sent, b.Sent), cmp.Compare(a.Process, b.Process))
	})
	return out
}

// cycle finds the shortest round with which cs begins, and how often it follows upon itself.
func cycle(cs []history.Command) (length, rounds int) {
	for length = 1; length <= 4; length++ {
		n := length
		for n < len(cs) && samePoll(cs[n-length], cs[n]) {
			n++
		}
		if rounds = n / length; rounds >= 3 {
			return length, rounds
		}
	}
	return 1, 1
}

// samePoll compares what matters to a reader: a poll's value may differ each time.
func samePoll(a, b history.Command) bool {
	if a.Node != b.Node || a.Err != b.Err || len(a.Args) != len(b.Args) || len(a.Args) == 0 ||
		a.Args[0] != b.Args[0] {
		return false
	}
	if len(a.Args) > 1 && a.Args[1] != b.Args[1] {
		return false
	}
	return a.Reply == b.Reply || len(a.Reply) > 8 && len(a.Reply) == len(b.Reply)
}

// ReplyOf returns the reply to a command, in words.
func ReplyOf(c history.Command, limit int) string {
	switch {
	case c.Err != "":
		return "error: " + page.Clean(c.Err, limit)
	case c.Recv == 0:
		return "no reply"
	case c.Reply == "":
		return "(empty)"
	}
	return page.Clean(c.Reply, limit)
}
