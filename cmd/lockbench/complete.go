package main

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/lockbench/lockbench/adapters"
	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/docker"
	"github.com/lockbench/lockbench/impls"
	"github.com/lockbench/lockbench/internal/campaign/matrix"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/run/runner"
	"github.com/lockbench/lockbench/internal/search/explore"
	"github.com/lockbench/lockbench/nemesis"
	"github.com/lockbench/lockbench/workloads"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// words returns the possible values of a flag. They may depend on the words typed so far.
type words func(c *cobra.Command) []string

// closed maps each flag with a closed list of values to that list. A flag applies to every command
// that has it or, with a command's name in front, to that command.
var closed = map[string]words{
	"impl":           each(impls.All, func(e impls.Entry) string { return e.Name }),
	"adapter":        each(adapters.All, func(a adapters.Adapter) string { return a.Name }),
	"adapters":       each(adapters.All, func(a adapters.Adapter) string { return a.Name }),
	"matrix impl":    rowNames,
	"rows":           rowNames,
	"nemesis":        faultNames,
	"matrix nemesis": columnNames,
	"columns":        columnNames,
	"variant":        variantsOf,
	"workload":       only(workloads.Names()...),
	"env":            only(runner.Environments()...),
	"replay env":     only(runner.Sim, runner.Process, runner.Docker),
	"topology":       only(nemesis.Topologies()...),
	"properties":     only(history.Properties()...),
	"expect": only(append([]string{"valid", "violated", "starved", "exactly:"},
		history.Properties()...)...),
	"model":          only(checker.Models()...),
	"format":         only("edn", "jsonl", "perfetto", "otlp"),
	"schedule":       only(explore.Schedules()...),
	"moments":        only(explore.Moments()...),
	"docker-network": only(docker.Auto, docker.Host, docker.Bridge),
	"workers":        only(docker.OnHost, docker.InContainer),
	"ttl":            only("documented"),
}

var (
	rowNames    = each(matrix.Rows, func(r matrix.Row) string { return r.Name })
	columnNames = each(matrix.Columns, func(c matrix.Column) string { return c.Name })
)

func only(list ...string) words { return func(*cobra.Command) []string { return list } }

func each[T any](all func() []T, name func(T) string) words {
	return func(*cobra.Command) (names []string) {
		for _, t := range all() {
			names = append(names, name(t))
		}
		return names
	}
}

func faultNames(*cobra.Command) (names []string) {
	for _, e := range nemesis.All() {
		names = append(names, e.Name)
		for _, v := range e.Variants {
			names = append(names, e.Name+":"+v.Name)
		}
	}
	return names
}

// variantsOf returns the variants of the lock that --impl or --adapter names.
func variantsOf(c *cobra.Command) (names []string) {
	if f := c.Flag("adapter"); f != nil && f.Value.String() != "" {
		a, _ := adapters.Find(f.Value.String())
		for _, v := range a.Variants {
			names = append(names, v.Name)
		}
		return names
	}
	e, err := impls.Find(c.Flag("impl").Value.String())
	if err != nil {
		return nil
	}
	return e.Variants
}

// closedValues returns the closed list of a command's flag, or nil if it has none.
func closedValues(c *cobra.Command, flag string) words {
	if of := closed[c.Name()+" "+flag]; of != nil {
		return of
	}
	return closed[flag]
}

// completeAll registers the closed flags of a command and of its subcommands for completion in a
// shell.
func completeAll(c *cobra.Command) {
	c.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
		values := closedValues(c, f.Name)
		if values == nil {
			return
		}
		_, list := f.Value.(pflag.SliceValue)
		err := c.RegisterFlagCompletionFunc(f.Name, func(c *cobra.Command, _ []string,
			typed string) ([]string, cobra.ShellCompDirective) {
			return offers(values(c), typed, list || f.Name == "expect"), cobra.ShellCompDirectiveNoFileComp
		})
		if err != nil {
			panic(err) // it is a flag of the command itself
		}
	})
	for _, below := range c.Commands() {
		completeAll(below)
	}
}

// offers returns the words that may follow the typed ones. For a list, it leaves out words that the
// list already has.
func offers(words []string, typed string, list bool) (out []string) {
	before := ""
	if i := strings.LastIndex(typed, ","); list && i >= 0 {
		before = typed[:i+1]
	}
	for _, w := range words {
		if !strings.Contains(","+before, ","+w+",") {
			out = append(out, before+w)
		}
	}
	return out
}

// noArgument returns the error for a flag without a value. The error says what the flag takes, and
// gives an example.
func noArgument(c *cobra.Command, f *pflag.Flag) error {
	_, usage := pflag.UnquoteUsage(f)
	return fmt.Errorf("--%s needs a value: %s. Example: %s", f.Name, usage, exampleOf(c, f))
}

// exampleOf returns a command line that gives the flag a value. It prefers one of the examples of
// the verb's help.
func exampleOf(c *cobra.Command, f *pflag.Flag) string {
	for line := range strings.Lines(c.Example) {
		line, _, _ = strings.Cut(line, "  #")
		if line = strings.TrimSpace(line); strings.Contains(line, "--"+f.Name+" ") {
			return line
		}
	}
	value := cmp.Or(exampleValues[c.Name()+" "+f.Name], exampleValues[f.Name])
	if of := closedValues(c, f.Name); value == "" && of != nil {
		if all := of(c); len(all) > 0 {
			value = all[0]
		}
	}
	value = cmp.Or(value, exampleValues[f.Value.Type()], f.DefValue)
	return fmt.Sprintf("%s --%s %s", c.CommandPath(), f.Name, value)
}

// exampleValues has a value for each flag, or type of flags, without an example in the help of its
// verb.
var exampleValues = map[string]string{
	"int": "2", "uint64": "7", "duration": "500ms", "durations": "1s,3s",
	"addr": "127.0.0.1:6379", "for": "30s", "html": "compared.html", "lines": "lines.yaml",
	"metrics": "lockbench.prom", "names": "names.yaml", "out": "counterexample.yaml",
	"proxy": "127.0.0.1:6400", "redis-config": "appendonly=yes", "redis-image": "redis:7",
	"report": "watch.html", "resume": "store/gate-lockbench/latest",
	"server": "/usr/bin/valkey-server", "shard": "2/4",
	"since": "store/gate-lockbench/latest", "ttl": "2s", "variant": "constant",
	"watch metrics": "9100",
}
