package main

import (
	"strings"

	"github.com/lockbench/lockbench/docker"
	"github.com/lockbench/lockbench/impls"
	"github.com/lockbench/lockbench/internal/campaign"
	"github.com/lockbench/lockbench/internal/runner"
	"github.com/lockbench/lockbench/nemesis"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// closed are the flags whose values are a closed list, for every command that has them; a command's
// own list goes before. The words may depend on what has been typed so far.
var closed = map[string]func(c *cobra.Command) []string{
	"impl":       func(*cobra.Command) []string { return lockNames() },
	"variant":    variantsOf,
	"rows":       func(*cobra.Command) []string { return rowNames() },
	"columns":    func(*cobra.Command) []string { return columnNames() },
	"env":        func(*cobra.Command) []string { return runner.Environments() },
	"topology":   func(*cobra.Command) []string { return topologies },
	"properties": func(*cobra.Command) []string { return campaign.Letters },
	"expect": func(*cobra.Command) []string {
		return append([]string{"valid", "violated"},
			campaign.Letters...)
	},
	"docker-network": func(*cobra.Command) []string {
		return []string{docker.Auto, docker.Host,
			docker.Bridge}
	},
	"workers": func(*cobra.Command) []string { return []string{docker.OnHost, docker.InContainer} },
	"ttl":     func(*cobra.Command) []string { return []string{"documented"} },
}

// topologies are what --topology may be.
var topologies = []string{nemesis.Single, nemesis.Failover, nemesis.Independent, nemesis.Sentinel}

// completeAll teaches the shell the closed flags of a command and of those below it.
func completeAll(c *cobra.Command) {
	own := map[string]func(*cobra.Command) []string{}
	if c.Name() == "matrix" { // there they name rows and columns
		own["impl"], own["nemesis"] = closed["rows"], closed["columns"]
	}
	c.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
		words := own[f.Name]
		if words == nil {
			words = closed[f.Name]
		}
		if _, has := c.GetFlagCompletionFunc(f.Name); has || words == nil {
			return
		}
		_, list := f.Value.(pflag.SliceValue)
		err := c.RegisterFlagCompletionFunc(f.Name, func(c *cobra.Command, _ []string,
			typed string) ([]string, cobra.ShellCompDirective) {
			return offers(words(c), typed, list || f.Name == "expect"), cobra.ShellCompDirectiveNoFileComp
		})
		if err != nil {
			panic(err) // the flag is the command's own
		}
	})
	for _, below := range c.Commands() {
		completeAll(below)
	}
}

// offers are the words that may follow what was typed; of a list, those that it does not have yet.
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

func lockNames() (names []string) {
	for _, e := range impls.All() {
		names = append(names, e.Name)
	}
	return names
}

// variantsOf are those of the lock that --impl names.
func variantsOf(c *cobra.Command) []string {
	e, err := impls.Find(c.Flag("impl").Value.String())
	if err != nil {
		return nil
	}
	return e.Variants
}

func rowNames() (names []string) {
	for _, r := range campaign.Rows() {
		names = append(names, r.Name)
	}
	return names
}

func columnNames() (names []string) {
	for _, c := range campaign.Columns() {
		names = append(names, c.Name)
	}
	return names
}
