package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lockbench/lockbench/internal/dev/testenv"
	"github.com/rogpeppe/go-internal/testscript"
)

// TestFindings does once what docs/findings.md says of released libraries, as it says it. Those
// that are not set up here are left out.
func TestFindings(t *testing.T) {
	testenv.SkipRace(t)
	testenv.Part(t, "redis")
	t.Parallel()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	folder, err := filepath.Abs("../../docs/findings")
	if err != nil {
		t.Fatal(err)
	}
	p := scriptsIn("testdata/findings")
	setup := p.Setup
	p.Setup = func(e *testscript.Env) error {
		e.Setenv("XDG_CACHE_HOME", cache)
		e.Setenv("FINDINGS", folder)
		return setup(e)
	}
	testscript.Run(t, p)
}

// TestTheFindingsPage wants each finding that is tested to be on the page with its command, and
// each scenario to be used.
func TestTheFindingsPage(t *testing.T) {
	b, err := os.ReadFile("../../docs/findings.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(b)
	scripts, err := filepath.Glob("testdata/findings/*.txtar")
	if err != nil || len(scripts) == 0 {
		t.Fatal("no script", err)
	}
	all := ""
	for _, name := range scripts {
		script, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all += string(script)
		for line := range strings.Lines(string(script)) {
			_, command, ok := strings.Cut(strings.TrimSpace(line), " lockbench run ")
			command = "lockbench run " + strings.ReplaceAll(command, "$FINDINGS", "docs/findings")
			if ok && !strings.Contains(unwrapped(page), command) {
				t.Errorf("docs/findings.md does not say %q", command)
			}
		}
	}
	scenarios, _ := filepath.Glob("../../docs/findings/*.yaml")
	for _, s := range scenarios {
		if !strings.Contains(all, "$FINDINGS/"+filepath.Base(s)+" ") {
			t.Errorf("no finding uses %s", s)
		}
	}
}

// unwrapped joins the lines of a page, and those that end in a backslash.
func unwrapped(page string) string {
	return strings.Join(strings.Fields(strings.ReplaceAll(page, "\\\n", " ")), " ")
}
