package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/pflag"
)

// withResume are the flags that a matrix may have when it goes on: the others say what it runs,
// which was said when it began. withMitigations are those of the mitigations, which have their own
// locks and faults.
var (
	withResume      = []string{"resume", "jobs", "docs", "costs", "json", "again", "soak"}
	withMitigations = []string{"mitigations", "repeat", "jobs", "seed", "ttl", "store", "docs", "json",
		"env", "redis-image", "docker-network", "workers"}
)

// check refuses flags that would have no effect.
func (f *matrixFlags) check(set *pflag.FlagSet) (err error) {
	if f.again && f.resume == "" {
		return errors.New("--again judges runs that there are; name their directory with --resume")
	}
	set.Visit(func(g *pflag.Flag) {
		switch {
		case err != nil:
		case f.mitigations && !slices.Contains(withMitigations, g.Name):
			err = fmt.Errorf(
				"--mitigations has its own locks and faults, and runs them all; leave --%s away", g.Name)
		case f.resume != "" && !slices.Contains(withResume, g.Name):
			err = fmt.Errorf("--resume goes on with what was asked for then; leave --%s away", g.Name)
		}
	})
	return err
}
