// Package system starts the servers of systems other than Redis. Each system has a file, and a row
// in the table below. Package nemesis says which faults a system cannot have.
package system

import (
	"crypto/rand"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/lockbench/lockbench/internal/env/cluster/server"
)

// systems lists all systems by the name that adapters use. The password is for clients.
var systems = map[string]func(password string) server.Kind{
	"etcd":      func(string) server.Kind { return Etcd{} },
	"zookeeper": func(string) server.Kind { return ZooKeeper{} },
	"postgres":  func(password string) server.Kind { return Postgres{password} },
	"pgbouncer": func(password string) server.Kind { return Pooled{Postgres{password}} },
	"mariadb":   func(password string) server.Kind { return MariaDB{password} },
}

// Find returns the system of this name, with a new password for its clients.
func Find(name string) (server.Kind, error) {
	k, ok := systems[name]
	if !ok {
		return nil, fmt.Errorf("unknown system %q; there are: %s", name, strings.Join(Names(), ", "))
	}
	return k(rand.Text()), nil
}

// Names returns the names of all systems, sorted.
func Names() []string { return slices.Sorted(maps.Keys(systems)) }

// installed returns the path of a program of this machine, by a pattern in the form of
// server.Tools. Its error names bring, the command that installs the program.
func installed(program, bring string) (string, error) {
	path, err := server.FindProgram(program)
	if err != nil {
		return "", fmt.Errorf("%s is not installed: `%s`", filepath.Base(program), bring)
	}
	return path, nil
}

// metric finds a count among the metrics of a server. Each line has a name and a value.
func metric(text, name string) (int64, error) {
	for line := range strings.Lines(text) {
		if w := strings.Fields(line); len(w) == 2 && w[0] == name {
			value, err := strconv.ParseFloat(w[1], 64) // etcd writes a million as 1e+06
			return int64(value), err
		}
	}
	return 0, fmt.Errorf("the server does not count %s", name)
}
