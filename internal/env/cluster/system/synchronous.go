package system

import "github.com/lockbench/lockbench/internal/env/cluster/server"

// Synchronous is a PostgreSQL server that confirms a commit when its standby has it. A standby that
// was promoted has no standby and waits for none.
type Synchronous struct{ Postgres }

// Operator implements server.Kind.
func (Synchronous) Operator(c server.NodeConfig) server.Operator {
	return synchronous{pgServer{c}}
}

// synchronous asks a server whose commits wait for its standby.
type synchronous struct{ pgServer }

// Barrier waits until this number of standbys have all writes of the server, and then makes commits
// wait for one. Earlier, a commit would wait for a standby that has not connected yet.
func (s synchronous) Barrier(standbys int) error {
	err := s.pgServer.Barrier(standbys)
	for _, sql := range []string{
		"alter system set synchronous_standby_names = '*'", "select pg_reload_conf()",
	} {
		if err == nil {
			_, err = s.ask(sql)
		}
	}
	return err
}
