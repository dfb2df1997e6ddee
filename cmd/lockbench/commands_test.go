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
// of its value. Each flag of a verb with groups is in one group, so that its help has it.
func TestHelpIsAsItWasMeant(t *testing.T) {
	var look func(c *cobra.Command)
	look = func(c *cobra.Command) {
		c.InitDefaultHelpFlag()
		in := map[string]int{}
		for _, g := range groupsOf(c) {
			for _, name := range present(c.Flags(), g.flags) {
				in[strings.TrimPrefix(name, "--")]++
			}
		}
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if value, _ := pflag.UnquoteUsage(f); strings.Contains(value, " ") {
				t.Errorf("%s --%s %s", c.CommandPath(), f.Name, value)
			}
			if len(in) > 0 && !f.Hidden && in[f.Name] != 1 {
				t.Errorf("%s --%s is in %d groups", c.CommandPath(), f.Name, in[f.Name])
			}
		})
		for _, below := range c.Commands() {
			look(below)
		}
	}
	look(rootCommand())
}

// TestAFlagWithoutItsValue takes the example of each such error, and parses it.
func TestAFlagWithoutItsValue(t *testing.T) {
	word := regexp.MustCompile(`"[^"]*"|\S+`)
	var look func(path ...string)
	look = func(path ...string) {
		c, _, err := rootCommand().Find(path)
		if err != nil {
			t.Fatal(err)
		}
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if f.NoOptDefVal != "" {
				return
			}
			said := noFlag(c, c.ParseFlags([]string{"--" + f.Name})).Error()
			_, example, _ := strings.Cut(said, "Example: ")
			_, example, _ = strings.Cut(example, c.CommandPath()+" ")
			fresh, _, _ := rootCommand().Find(path)
			err := fresh.ParseFlags(word.FindAllString(example, -1))
			set := fresh.Flags().Lookup(f.Name)
			if err != nil || !set.Changed || set.Value.String() == "" || !strings.HasPrefix(said, "--"+
				f.Name+" needs a value: ") {
				t.Errorf("%s: %v", said, err)
			}
		})
		for _, below := range c.Commands() {
			look(append(slices.Clone(path), below.Name())...)
		}
	}
	look()
}

// TestHelpFitsOnAScreen: the help of a verb is short, and --all explains the flags that it only
// names.
func TestHelpFitsOnAScreen(t *testing.T) {
	help := func(args ...string) string {
		var out strings.Builder
		c := rootCommand()
		c.SetOut(&out)
		c.SetArgs(append(args, "--help"))
		if err := c.Execute(); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	for verb := range groups {
		brief := help(verb)
		if n := strings.Count(brief, "\n"); n > 50 || verb == "run" && n > 45 {
			t.Errorf("%s --help has %d lines", verb, n)
		}
		for _, line := range strings.Split(brief, "\n") {
			if len(line) > 100 {
				t.Errorf("%s --help: a line has %d columns: %s", verb, len(line), line)
			}
		}
		if !strings.Contains(brief, "--help --all") {
			continue
		}
		explained := regexp.MustCompile(`(?m)^ {2,6}(?:-\w, )?(--[a-z-]+)`).
			FindAllStringSubmatch(help(verb, "--all"), -1)
		for _, name := range strings.Fields(brief[strings.Index(brief, "--help --all"):]) {
			if strings.HasPrefix(name, "--") && name != "--help" && name != "--all" &&
				!slices.ContainsFunc(explained, func(x []string) bool { return x[1] == name }) {
				t.Errorf("%s --help --all does not explain %s", verb, name)
			}
		}
	}
}
