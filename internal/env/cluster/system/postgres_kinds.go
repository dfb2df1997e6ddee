package system

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/internal/env/cluster/server"
)

// Pooled is a PostgreSQL server whose clients reach it through PgBouncer in transaction mode. There
// a client has a session of the server only during a transaction.
type Pooled struct{ Postgres }

// Find implements server.Kind: both programs must be there.
func (p Pooled) Find() (string, error) {
	if _, err := pgbouncer.Find(); err != nil {
		return "", err
	}
	return p.Postgres.Find()
}

// Front implements server.Fronted.
func (p Pooled) Front(behind server.NodeConfig) server.Kind {
	return bouncer{pgbouncer, behind, p.password}
}

// bouncer is a PgBouncer in front of a server.
type bouncer struct {
	program
	behind   server.NodeConfig
	password string // the clients' password
}

// pgbouncer is the program. A user's PATH seldom has the place where Debian puts it.
var pgbouncer = program{"pgbouncer", []string{"/usr/sbin/pgbouncer"}, "apt-get install pgbouncer"}

// Files implements server.Packed.
func (p Pooled) Files() []string { return slices.Concat(p.Postgres.Files(), pgbouncer.files) }

// Prepare implements server.Preparer. It writes the file with the user and the password, which
// clients need for PgBouncer, and PgBouncer for the server.
func (b bouncer) Prepare(c server.NodeConfig) error {
	return os.WriteFile(b.users(c), []byte(fmt.Sprintf("%q %q\n", clientRole, b.password)), 0o600)
}

func (bouncer) users(c server.NodeConfig) string { return filepath.Join(c.Dir, "users") }

// Command implements server.Kind. It changes two defaults of PgBouncer: the mode, and the time
// until it tries a failed server again, since the default of 15 s would make a run long.
func (b bouncer) Command(c server.NodeConfig, file string) (args []string, text string) {
	return []string{file}, fmt.Sprintf(`[databases]
postgres = host=%s port=%d
[pgbouncer]
listen_addr = %s
listen_port = %d
unix_socket_dir =
auth_type = scram-sha-256
auth_file = %s
pool_mode = transaction
server_login_retry = 0.1
`, b.behind.Host, b.behind.Port, c.Host, c.Port, b.users(c))
}

// SaysReady and Operator implement server.Kind.
func (bouncer) SaysReady(_ server.NodeConfig, line string) bool {
	return strings.Contains(line, "process up: PgBouncer")
}

func (bouncer) Operator(c server.NodeConfig) server.Operator { return poolServer{c} }

// poolServer is a PgBouncer.
type poolServer struct{ server.NodeConfig }

// Version implements server.Operator: "PgBouncer 1.18.0" is its first line.
func (s poolServer) Version() (string, error) {
	said, err := s.Programs().Ask(pgbouncer.files[0], "-V")
	if err != nil {
		return "", err
	}
	words := strings.Fields(said)
	if len(words) < 2 {
		return "", fmt.Errorf("pgbouncer -V says %.200q", said)
	}
	return words[1], nil
}

// Close implements server.Operator.
func (poolServer) Close() error { return nil }

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
