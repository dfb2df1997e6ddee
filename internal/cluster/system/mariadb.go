package system

import (
	"path/filepath"
	"strconv"
	"strings"

	"github.com/lockbench/lockbench/internal/cluster/server"
)

// MariaDB is a MariaDB server, whose user root has no password.
type MariaDB struct{}

// Name is server.Kind.
func (MariaDB) Name() string { return "mariadb" }

// The programs. A user's PATH seldom has the place where Debian puts the server.
const (
	mariadbd  = "/usr/sbin/mariadbd"
	installDB = "mariadb-install-db"
	mariadb   = "mariadb"
)

// Find is server.Kind.
func (MariaDB) Find() (string, error) {
	return installed(mariadbd, "apt-get install mariadb-server")
}

// Files is server.Packed.
func (MariaDB) Files() []string { return []string{mariadbd, installDB, mariadb} }

// Unprivileged is server.Unprivileged.
func (MariaDB) Unprivileged() {}

// Prepare is server.Preparer.
func (MariaDB) Prepare(c server.NodeConfig) error {
	return fromTemplate(c, installDB, func(folder string) []string {
		return []string{"--no-defaults", "--datadir=" + folder,
			"--auth-root-authentication-method=normal", "--skip-test-db", "--skip-name-resolve",
			"--innodb-log-file-size=4M"}
	})
}

// Command is server.Kind. What was committed survives the death of the server, not that of the
// machine.
func (MariaDB) Command(c server.NodeConfig, _ string) (args []string, text string) {
	return []string{"--no-defaults", "--datadir=" + c.Dir, "--tmpdir=" + c.Dir,
		"--bind-address=" + c.Host,
		"--port=" + strconv.Itoa(c.Port), "--socket=" + filepath.Join(c.Dir, "s"),
		"--pid-file=" + filepath.Join(c.Dir, "pid"), "--skip-name-resolve", "--skip-grant-tables",
		"--innodb-log-file-size=4M", "--innodb-flush-log-at-trx-commit=2",
		"--innodb-buffer-pool-size=16M"}, ""
}

// SaysReady is server.Kind.
func (MariaDB) SaysReady(_ server.NodeConfig, line string) bool {
	return strings.Contains(line, "ready for connections")
}

// Operator is server.Kind.
func (MariaDB) Operator(c server.NodeConfig) server.Operator { return mariaServer{c} }

// mariaServer is asked by the client mariadb.
type mariaServer struct{ server.NodeConfig }

// Version is server.Operator: "10.11.14-MariaDB-...".
func (s mariaServer) Version() (string, error) {
	said, err := s.Programs().Ask(mariadb, "--no-defaults", "-h", s.Host, "-P", strconv.Itoa(s.Port),
		"-u", "root", "-N", "-e", "select version()")
	v, _, _ := strings.Cut(said, "-")
	return v, err
}

// Close is server.Operator.
func (mariaServer) Close() error { return nil }
