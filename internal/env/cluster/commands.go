package cluster

import (
	"errors"

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
		if lacks != "" {
			return nemesis.ImpossibleError{Reason: errors.New(lacks)}
		}
	}
	return nil
}
