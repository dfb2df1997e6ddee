package main

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

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
	"report": "watch.html", "server": "/usr/bin/valkey-server", "shard": "2/4",
	"since": "store/gate-lockbench/latest", "ttl": "2s", "variant": "constant",
	"watch metrics": "9100",
}
