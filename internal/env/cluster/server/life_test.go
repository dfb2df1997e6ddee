package server

import (
	"os"
	"strings"
	"testing"
	"time"
)

// TestALongLineEndsNothing: the server's output is read on after a line of any length, so that the
// server never waits for its reader.
func TestALongLineEndsNothing(t *testing.T) {
	file := t.TempDir() + "/log"
	l, err := NewLife(NodeConfig{Name: "n0", Log: file})
	if err != nil {
		t.Fatal(err)
	}
	l.Patience = time.Second
	out := strings.Repeat("x", 200<<10) + "\n* Ready to accept connections tcp\n"
	l.Follow(strings.NewReader(out))
	if err := l.Ready(); err != nil {
		t.Error(err)
	}
	l.End("exit status 0")
	log, err := os.ReadFile(file)
	if err != nil || len(log) < len(out) {
		t.Errorf("%d bytes of %d were logged: %v", len(log), len(out), err)
	}
}
