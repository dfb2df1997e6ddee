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
	const bar = "[#######                       ] "
	for _, c := range []struct {
		name  string
		first int // what the first step of this process said
		took  time.Duration
		later time.Duration
		want  string
	}{
		{"the rest takes as long as what is done", 1, 10 * time.Second, 0, "30s left; getset"},
		{"what was there before took no time", 10, 2 * time.Second, 0, "1m0s left; getset"},
		{"what comes later takes longer", 1, 10 * time.Second, time.Minute,
			"1m30s left, 9 again; getset"},
	} {
		b := Bar{}
		b.step(c.took, c.first, 40, "setnx")
		b.step(c.took, 10, 40, "getset")
		b.Later(c.later, "9 again")
		if got := b.text(c.took); got != bar+"10 of 40, "+c.want {
			t.Errorf("%s: %q", c.name, got)
		}
	}
}

// TestAStageHasItsOwnPace: of 20 parts side by side in 10 s nothing follows for those that come
// one after the other.
func TestAStageHasItsOwnPace(t *testing.T) {
	b := Bar{}
	for i := range 20 {
		b.step(time.Duration(i+1)*time.Second/2, i+1, 20, "side by side")
	}
	b.step(15*time.Second, 21, 30, "again")
	const want = "[#####################         ] 21 of 30, 45s left; again"
	if got := b.text(15 * time.Second); got != want {
		t.Errorf("%q, not\n%q", got, want)
	}
}
