package progress

import (
	"bytes"
	"testing"
	"time"
)

func TestNothingIsDrawnWithoutATerminal(t *testing.T) {
	var out bytes.Buffer
	l := Start(&out, func(time.Duration) string { t.Error("the text was asked for"); return "x" })
	time.Sleep(2 * every)
	l.Stop()
	l.Stop() // may be called more than once
	if out.Len() > 0 {
		t.Errorf("%q was written", &out)
	}
}

func TestABarSaysHowMuchIsDoneAndLeft(t *testing.T) {
	var b Bar
	if got := b.text(3 * time.Second); got != "starting, 3 s" {
		t.Errorf("before the first step: %q", got)
	}
	b.Step(10, 40, "getset under pause")
	const want = "[#######                       ] 10 of 40, 30s left; getset under pause"
	if got := b.text(10 * time.Second); got != want {
		t.Errorf("%q, not\n%q", got, want)
	}
}
