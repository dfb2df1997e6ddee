package main

import (
	"cmp"
	"errors"
	"os"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/impls"
	"github.com/lockbench/lockbench/internal/base/option"
	"github.com/lockbench/lockbench/internal/base/progress"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// group is a part of a verb's help: flags that a person wants together, the most important first.
type group struct {
	title string
	flags []string
	more  bool // few people need them: without --all only their names are printed
}

// The groups that several verbs have.
var (
	machines = group{"Servers", strings.Fields("server redis-config topology masters replicas addr " +
		"tls any-database redis-image docker-network workers"), true}
	settings = group{"Times and settings of the lock", slices.Concat(strings.Fields("poll hold think "+
		"cycles keys acquire-timeout client-timeout client-retries watchdog"),
		option.Names(new(history.ClientSettings).Table()),
		option.Names(new(impls.Settings).Table())), true}
)

// groupsOf returns the groups of a verb, or nil if it has few flags.
func groupsOf(c *cobra.Command) []group {
	return groups[strings.TrimPrefix(c.CommandPath(), c.Root().Name()+" ")]
}

// groups has the verbs with many flags.
var groups = map[string][]group{
	"run": {
		{title: "Lock and fault", flags: strings.Fields("impl adapter variant nemesis workload story " +
			"plan")},
		{title: "Where and how long", flags: strings.Fields("env clients ttl for seed")},
		{title: "Verdict and output", flags: strings.Fields("expect properties thorough verbose quiet " +
			"json store help")},
		machines, settings,
		{"Other", []string{"stop-on-violation"}, true},
	},
	"explore": {
		{title: "Lock and fault", flags: strings.Fields("impl adapter variant nemesis workload " +
			"properties")},
		{title: "How much", flags: strings.Fields("for seeds seed exhaustive keep-going jobs shard " +
			"clients ttl")},
		{title: "Output", flags: strings.Fields("verbose json out store help")},
		{"Exhaustive search", strings.Fields("preemptions expiries faults rounds tries no-hashing " +
			"no-sleep-sets"), true},
		{"How the search goes", strings.Fields("schedule moments curve no-shrink"), true},
		machines, settings,
	},
	"matrix": {
		{title: "Locks and faults", flags: strings.Fields("impl adapters nemesis repeat ttl")},
		{title: "Where and how", flags: strings.Fields("env shard resume")},
		{title: "Output", flags: strings.Fields("json store since metrics help")},
		{"Other", strings.Fields("seed jobs again costs"), true},
		machines,
	},
	"gate": {
		{title: "A run of the gate", flags: strings.Fields("only resume out store jobs shard quiet " +
			"json since metrics help")},
		{title: "A new file",
			flags: strings.Fields("init adapter impl nemesis env repeat ttl seed replace")},
	},
	"check": {
		{title: "What to judge", flags: strings.Fields("model properties expect ttl partial timeout")},
		{title: "Histories of others", flags: strings.Fields("lines read-as independent stream")},
		{title: "Output", flags: strings.Fields("verbose quiet json help")},
	},
	"choose": {
		{title: "What can happen", flags: strings.Fields("fault longest-pause longest-work ttl")},
		{title: "What you demand", flags: strings.Fields("fencing no-outage told")},
		{title: "Output", flags: strings.Fields("all json help")},
	},
}

// allFlags is the flag that makes --help print every flag. Verbs without rare flags lack it.
const allFlags = "all"

// helpWidth is the width of help that is not printed on a terminal.
const helpWidth = 100

// usages returns the flags of a verb for its help.
func usages(c *cobra.Command) string {
	s := c.LocalFlags()
	width := cmp.Or(progress.Width(os.Stdout), helpWidth) // of the terminal
	of := groupsOf(c)
	if of == nil {
		return "Flags:\n" + s.FlagUsagesWrapped(width)
	}
	all := s.Lookup(allFlags)
	whole := all == nil || !all.Hidden || all.Changed
	var text strings.Builder
	var names []string
	for _, g := range of {
		if g.more && !whole {
			names = append(names, present(s, g.flags)...)
			continue
		}
		text.WriteString(g.usages(s, width))
	}
	if len(names) > 0 {
		text.WriteString("More (" + c.CommandPath() + " --help --all explains them):\n" +
			progress.Fold("      "+strings.Join(names, " "), width, 6) + "\n")
	}
	return text.String()
}

// present returns the flags of a verb among some names, as a user types them.
func present(s *pflag.FlagSet, names []string) (out []string) {
	for _, name := range names {
		if f := s.Lookup(name); f != nil && !f.Hidden {
			out = append(out, "--"+name)
		}
	}
	return out
}

// usages returns the part of a verb's help, or "" if the verb has none of the flags.
func (g group) usages(s *pflag.FlagSet, width int) string {
	in := pflag.NewFlagSet("", pflag.ContinueOnError)
	in.SortFlags = false
	for _, name := range g.flags {
		if f := s.Lookup(name); f != nil {
			in.AddFlag(f)
		}
	}
	if !in.HasAvailableFlags() {
		return ""
	}
	return g.title + ":\n" + in.FlagUsagesWrapped(width) + "\n"
}

// onlyHelp returns an error if --all was given without --help to a verb that has it for its help.
func onlyHelp(s *pflag.FlagSet) error {
	if f := s.Lookup(allFlags); f != nil && f.Hidden && f.Changed {
		return errors.New("--all explains every flag, together with --help; leave it out")
	}
	return nil
}

// Template functions are global in cobra, without a mutex.
func init() { cobra.AddTemplateFunc("usages", usages) }

// groupFlags makes the help of a command and its subcommands show usages.
func groupFlags(c *cobra.Command) {
	c.SetUsageTemplate(strings.ReplaceAll(c.UsageTemplate(), "Flags:\n{{.LocalFlags.FlagUsages",
		"{{usages ."))
	for _, verb := range c.Commands() {
		for _, g := range groupsOf(verb) {
			if g.more && verb.Flags().Lookup(allFlags) == nil {
				verb.Flags().Bool(allFlags, false, "with --help: explain every flag")
				_ = verb.Flags().MarkHidden(allFlags)
			}
		}
	}
}
