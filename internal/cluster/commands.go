package cluster

import (
	"fmt"
	"strings"

	"github.com/lockbench/lockbench/nemesis"
)

// hasCommands refuses servers that lack a command which the lock sends: it would fail in every run,
// and nothing would be known of it.
func (w *Environment) hasCommands() error {
	if len(w.cfg.Commands) == 0 {
		return nil
	}
	for _, n := range w.nodes {
		lacks, err := redisOf(n).Lacks(w.cfg.Commands)
		if err != nil {
			return err
		}
		if len(lacks) > 0 {
			version, _ := redisOf(n).Version()
			return nemesis.ImpossibleError{Reason: fmt.Errorf("the lock sends %s, which Redis %s does not "+
				"have; take a newer server with --server, --redis-image or --addr",
				strings.Join(lacks, " and "), version)}
		}
	}
	return nil
}
