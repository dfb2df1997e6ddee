package main

import (
	"testing"
	"time"

	"github.com/lockbench/lockbench/internal/run/doctor"
)

// TestAboutHowLong is what `gate --init` announces: on a busy machine no time of an idle one.
func TestAboutHowLong(t *testing.T) {
	idle, busy := doctor.Finding{OK: true}, doctor.Finding{Found: "4.5 on 2 processors"}
	for _, c := range []struct {
		d    time.Duration
		load doctor.Finding
		want string
	}{
		{0, busy, ""},
		{51 * time.Second, idle, "; about 51s, and more if the machine becomes busy, " +
			"since runs that others disturb are repeated one by one. After an interruption, the " +
			"same command continues"},
		{51 * time.Second, busy, "; 51s on an idle machine, and now several times as long (load 4.5 on " +
			"2 processors), since runs that others disturb are repeated one by one. After an " +
			"interruption, the same command continues"},
	} {
		if got := estimate(c.d, c.load); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
