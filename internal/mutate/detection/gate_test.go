package detection

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/lockbench/lockbench/internal/mutate"
)

// gateShare is the share of mutants that are not equivalent which must turn the gate of their lock
// red, in percent.
const gateShare = 95

// changed are mutants of token-lua that gates of expectations let pass: no owner check at release,
// no lease, another lease than the one that is declared, and a SET without NX.
var changed = []string{
	"release.lua : negate a comparison: ",
	`token_lua.go try: drop an argument of a command: l.send(ctx, "SET", l.Key(), g.Value, "NX", ` +
		`"PX", l.Options.TTL.Milliseconds()) → l.send(ctx, "SET", l.Key(), g.Value, "PX"`,
	`token_lua.go try: drop an argument of a command: l.send(ctx, "SET", l.Key(), g.Value, "NX", ` +
		`"PX", l.Options.TTL.Milliseconds()) → l.send(ctx, "SET", l.Key(), g.Value, "NX", l.Op`,
	"token_lua.go try: scale a number: l.Options.TTL.Milliseconds() → " +
		"l.Options.TTL.Milliseconds() / 10",
}

// gated is a lockbench with mutants in it, which asks the gates that it wrote of the locks as they
// are.
type gated struct {
	t            *testing.T
	dir, program string
}

func (g gated) run(number int, args ...string) (string, error) {
	ctx, stop := context.WithTimeout(g.t.Context(), 3*time.Minute)
	defer stop()
	c := exec.CommandContext(ctx, g.program, args...)
	c.Dir = g.dir
	c.Env = append(os.Environ(), mutate.Choice+"="+strconv.Itoa(number), "GOMEMLIMIT=1GiB")
	out, err := c.CombinedOutput()
	if ctx.Err() != nil && g.t.Context().Err() == nil {
		return string(out), errors.New("it does not end")
	}
	return string(out), err
}

// TestMutantsTurnTheirGateRed writes the snapshot of each lock, and asks it of the lock's mutants:
// of all with LOCKBENCH_SOAK, else of those that are named above. The lock as it is passes.
func TestMutantsTurnTheirGateRed(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("there is no go command")
	}
	soak := os.Getenv("LOCKBENCH_SOAK") != ""
	folder := filepath.Join(root, "impls")
	mutants, err := mutate.Derive(folder, os.DirFS(folder))
	if err != nil {
		t.Fatal(err)
	}
	if soak {
		mutants = mutate.Choose(mutants)
	} else {
		mutants = slices.DeleteFunc(mutants, func(m mutate.Mutant) bool {
			return !slices.ContainsFunc(changed, func(s string) bool {
				return strings.HasPrefix(m.Key(), s)
			})
		})
	}
	g := gated{t, t.TempDir(), filepath.Join(t.TempDir(), "lockbench")}
	if err := mutate.Build(folder, os.DirFS(folder), mutants, root, "./cmd/lockbench",
		g.program); err != nil {
		t.Fatal(err)
	}
	red, asked := 0, 0
	for i, m := range mutants {
		if equivalent(m) || !g.ready(m.Lock) {
			continue
		}
		out, err := g.run(i+1, "gate", m.Lock+".yaml", "--quiet", "--out", strconv.Itoa(i))
		os.RemoveAll(filepath.Join(g.dir, strconv.Itoa(i)))
		if asked++; err != nil {
			red++
			t.Logf("red: %s (%v)", m.Key(), err)
			continue
		}
		t.Logf("GREEN: %s: %s", m.Key(), out)
	}
	t.Logf("%d of %d mutants turn their gate red", red, asked)
	if asked < len(changed) || red*100 < gateShare*asked {
		t.Errorf("%d of %d mutants turn their gate red, not %d %%", red, asked, gateShare)
	}
}

// ready writes the gate of a lock, once, and demands that the lock passes it.
func (g gated) ready(lock string) bool {
	if _, err := os.Stat(filepath.Join(g.dir, lock+".yaml")); err == nil {
		return true
	}
	for _, args := range [][]string{{"--init", "--impl", lock, "--repeat", "3"}, {}} {
		args = append(append([]string{"gate", lock + ".yaml"}, args...), "--quiet", "--out", "as-it-is")
		if out, err := g.run(0, args...); err != nil {
			g.t.Errorf("%s: %v\n%s", lock, err, out)
			return false
		}
		os.RemoveAll(filepath.Join(g.dir, "as-it-is"))
	}
	return true
}

func equivalent(m mutate.Mutant) bool {
	for _, r := range Reasons() {
		if r.Equivalent && slices.Contains(r.Mutants, m.Key()) {
			return true
		}
	}
	return false
}
