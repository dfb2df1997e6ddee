package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/dev/testenv"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/rogpeppe/go-internal/testscript"
)

// TestScript runs the command line as a user does; each script says what it shows.
func TestScript(t *testing.T) {
	testenv.SkipRace(t)
	t.Parallel()
	testscript.Run(t, scriptsIn("testdata/script"))
}

// TestLargeHistory: a file that is judged while it is read, or in vain, has the verdict that its
// history has.
func TestLargeHistory(t *testing.T) {
	testenv.SkipRace(t)
	for name, broken := range map[string]bool{"plain": false, "two inside": true} {
		path := filepath.Join(t.TempDir(), "history.jsonl")
		h := manyTurns(60_000, broken)
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := h.Write(f); err != nil {
			t.Fatal(err)
		}
		if n := history.SizeOf(f); n < wholeBelow {
			t.Errorf("%d bytes are too few", n)
		}
		f.Close()
		var got, complaint, want bytes.Buffer
		code := Main(context.Background(), []string{"check", "--json", path}, &got, &complaint)
		v := checker.Check(h, nil, checker.Options{})
		if err := v.Write(&want); err != nil {
			t.Fatal(err)
		}
		took := regexp.MustCompile(`"took": "[^"]*"`)
		if code != v.Exit || !bytes.Equal(took.ReplaceAll(got.Bytes(), nil),
			took.ReplaceAll(want.Bytes(), nil)) {
			t.Errorf("%s: exit %d, %s\n%s\nwant exit %d\n%s", name, code, &got, &complaint, v.Exit, &want)
		}
	}
}

// manyTurns has clients take a lock by turns; in a broken one the last two are inside at once.
func manyTurns(events int, broken bool) *history.History {
	h := &history.History{Header: history.Header{Type: "header", Format: history.Format,
		Environment: "sim", Declares: history.Declares{Lease: true}, TTL: history.Duration(2e9)}}
	event := func(typ history.Type, p int, f string, n int, g *history.Grant) {
		h.Events = append(h.Events, history.Event{Type: typ, T: int64(len(h.Events)+1) * 1e5, Process: p,
			F: f, N: n, Key: history.Ptr(0), Grant: g})
	}
	for turn := 0; len(h.Events) < events; turn++ {
		p, n := turn%3, turn/3+1
		event(history.Invoke, p, history.Acquire, n, nil)
		event(history.OK, p, history.Acquire, n, &history.Grant{Sent: int64(len(h.Events)) * 1e5,
			Lease: h.Header.TTL})
		if broken && len(h.Events) > events-6 {
			continue
		}
		event(history.Invoke, p, history.Release, n, nil)
		event(history.OK, p, history.Release, n, nil)
	}
	h.Events = append(h.Events, history.Event{Type: history.End, T: int64(events+9) * 1e5,
		Process: history.Harness})
	return h
}
