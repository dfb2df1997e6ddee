package main

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// TestTheCommandsPageIsOfThisProgram: docs/commands.md has a section for each verb, and its
// examples and those of the README name verbs and flags that there are.
func TestTheCommandsPageIsOfThisProgram(t *testing.T) {
	flags := map[string]*pflag.FlagSet{}
	for _, c := range rootCommand().Commands() {
		flags[c.Name()] = c.Flags()
	}
	page, err := os.ReadFile("../../docs/commands.md")
	if err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	for verb := range flags {
		if !slices.Contains([]string{"help", "completion"}, verb) &&
			!strings.Contains(string(page), "\n## "+verb+"\n") {
			t.Errorf("docs/commands.md has no section %q", verb)
		}
	}
	examples := regexp.MustCompile(`(?m)lockbench ([a-z]+)([^\n#&`+"`"+`]*)`).
		FindAllStringSubmatch(string(page)+string(readme), -1)
	if len(examples) < 30 {
		t.Errorf("%d examples", len(examples))
	}
	for _, e := range examples {
		set, ok := flags[e[1]]
		for _, f := range regexp.MustCompile(`--([a-z][a-z-]*)`).FindAllStringSubmatch(e[2], -1) {
			if ok && set.Lookup(f[1]) == nil {
				t.Errorf("%s: there is no flag --%s", strings.TrimSpace(e[0]), f[1])
			}
		}
		if !ok && strings.Contains(e[2], " --") {
			t.Errorf("%s: there is no verb %q", e[0], e[1])
		}
	}
}

// TestHelpIsAsItWasMeant: what stands between back-quotes in the words of a flag becomes the name
// of its value, and a heading with a flag that no verb has would be forgotten.
func TestHelpIsAsItWasMeant(t *testing.T) {
	has := map[string]bool{}
	var look func(c *cobra.Command)
	look = func(c *cobra.Command) {
		c.InitDefaultHelpFlag()
		c.Flags().VisitAll(func(f *pflag.Flag) {
			has[f.Name] = true
			if value, _ := pflag.UnquoteUsage(f); strings.Contains(value, " ") {
				t.Errorf("%s --%s %s", c.CommandPath(), f.Name, value)
			}
		})
		for _, below := range c.Commands() {
			look(below)
		}
	}
	look(rootCommand())
	for _, g := range groups {
		for _, name := range g.flags {
			if !has[name] {
				t.Errorf("%s: no verb has --%s", g.title, name)
			}
		}
	}
}
