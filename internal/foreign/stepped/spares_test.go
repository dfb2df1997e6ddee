//go:build linux

package stepped

import (
	"os/exec"
	"testing"
)

// TestSparesAreBounded: the program that has waited longest makes room for another one.
func TestSparesAreBounded(t *testing.T) {
	var s spares
	first, last := &program{cmd: &exec.Cmd{}}, &program{cmd: &exec.Cmd{}}
	s.put("first", first)
	for range mostSpares - 1 {
		s.put("more", &program{cmd: &exec.Cmd{}})
	}
	s.put("last", last)
	if len(s.all) != mostSpares || s.take("first") != nil || s.take("last") != last {
		t.Errorf("%d programs wait", len(s.all))
	}
}
