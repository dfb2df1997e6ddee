package replay

import (
	"fmt"
	"path"
	"slices"

	"github.com/lockbench/lockbench/nemesis"
)

// disturbances are the faults of links that are not undone yet.
type disturbances []nemesis.Step

// add takes a fault in, or removes those that it undoes.
func (d *disturbances) add(f nemesis.Step) {
	switch f.Do {
	case nemesis.Cut, nemesis.HoldBack, nemesis.Refuse, nemesis.Reset:
		*d = append(*d, f)
	case nemesis.Heal:
		*d = slices.DeleteFunc(*d, func(s nemesis.Step) bool {
			return s.Target == f.Target || f.Target == "*"
		})
	}
}

// reach reports whether a fault affects a client's links to a node.
func (d disturbances) reach(client int, node string) bool {
	return slices.ContainsFunc(d, func(s nemesis.Step) bool {
		first, _ := path.Match(s.Target, fmt.Sprintf("c%d>%s", client, node))
		second, _ := path.Match(s.Target, fmt.Sprintf("c%d+>%s", client, node))
		return first || second
	})
}
