// Package system knows the servers of other systems than Redis: a file each, and a row in the table
// below. What a system cannot have of the faults, nemesis says.
package system

import (
	"crypto/rand"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/internal/env/cluster/server"
)

// systems is the closed list, by the name that adapters use. The password is the clients'.
var systems = map[string]func(password string) server.Kind{
	"etcd":      func(string) server.Kind { return Etcd{} },
	"zookeeper": func(string) server.Kind { return ZooKeeper{} },
	"postgres":  func(password string) server.Kind { return Postgres{password} },
	"pgbouncer": func(password string) server.Kind { return Pooled{Postgres{password}} },
	"mariadb":   func(password string) server.Kind { return MariaDB{password} },
}

// Find returns the system of this name, with a new password of its clients.
func Find(name string) (server.Kind, error) {
	k, ok := systems[name]
	if !ok {
		return nil, fmt.Errorf("unknown system %q; there are: %s", name, strings.Join(Names(), ", "))
	}
	return k(rand.Text()), nil
}

// Names are those of all systems, sorted.
func Names() (names []string) {
	for n := range systems {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}

// installed is where a program of this machine is, by a pattern as server.Tools have it; bring is
// the command that installs it.
func installed(program, bring string) (string, error) {
	path, err := server.FindProgram(program)
	if err != nil {
		return "", fmt.Errorf("%s is not installed: `%s`", filepath.Base(program), bring)
	}
	return path, nil
}
