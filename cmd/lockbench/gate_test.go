package main

import (
	"testing"

	"github.com/lockbench/lockbench/internal/run/doctor"
	"github.com/lockbench/lockbench/internal/run/runner"
)

// TestNoTimeBeforeARun is what `gate --init` announces: no time that was not measured.
func TestNoTimeBeforeARun(t *testing.T) {
	idle, busy := doctor.Finding{OK: true}, doctor.Finding{Found: "4.5 on 2 processors"}
	const since = ", since runs that others disturb are repeated one by one. After an interruption, " +
		"the same command continues"
	for _, c := range []struct {
		environment string
		load        doctor.Finding
		want        string
	}{
		{runner.Sim, busy, ""},
		{runner.Process, idle,
			"; how long they take is shown when some are done, and more on a busy machine" + since},
		{runner.Process, busy, "; how long they take is shown when some are done, and more on a busy " +
			"machine (busy now: load 4.5 on 2 processors)" + since},
	} {
		if got := patience(c.environment, c.load); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
