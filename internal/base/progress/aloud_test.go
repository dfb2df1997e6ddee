package progress

import (
	"bytes"
	"testing"
	"time"
)

// TestALineNowAndThen is for who reads a pipe: a line each ten seconds, and none at the end.
func TestALineNowAndThen(t *testing.T) {
	var out bytes.Buffer
	var took time.Duration
	b := StartBar(&out)
	defer b.Stop()
	step := b.aloud(&out, func() time.Duration { return took })
	for done := 1; done <= 6; done++ {
		took += 4 * time.Second
		step(done, 6, "a cell")
	}
	const want = "lockbench: 3 of 6 runs, 12s left\n"
	if out.String() != want {
		t.Errorf("it wrote %q, want %q", out.String(), want)
	}
}
