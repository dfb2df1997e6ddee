package system

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/lockbench/lockbench/internal/env/cluster/server"
)

// MariaDB is a MariaDB server. Its user root logs in through a socket in the server's folder, which
// is closed to others; clients have a user without rights and a password.
type MariaDB struct {
	program
	password string
}

// Probe implements server.Probed: the server greets.
func (MariaDB) Probe() string { return "" }

// The programs. A user's PATH seldom has the place where Debian puts the server.
const (
	installDB = "mariadb-install-db"
	mysql     = "mariadb"
)

var mariadb = program{"mariadb", []string{"/usr/sbin/mariadbd", installDB, mysql},
	"apt-get install mariadb-server"}

// Prepare implements server.Preparer.
func (m MariaDB) Prepare(c server.NodeConfig) error {
	if err := os.Chmod(c.Dir, 0o700); err != nil {
		return err
	}
	err := fromTemplate(c, installDB, func(folder string) []string {
		return []string{"--no-defaults", "--datadir=" + folder,
			"--auth-root-authentication-method=normal", "--skip-test-db", "--skip-name-resolve",
			"--innodb-log-file-size=4M"}
	})
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(c.Dir, users), []byte(fmt.Sprintf(userStatements,
		native(m.password))), 0o600)
}

const (
	users = "users.sql"
	// statements that the server executes before it takes connections, one in each line. A client from
	// the network needs the password, and has no rights outside of the database test.
	userStatements = `DELETE FROM mysql.global_priv WHERE User <> 'mariadb.sys' AND (User <> 'root' OR Host <> 'localhost');
FLUSH PRIVILEGES;
CREATE OR REPLACE USER ` + clientRole + `@'%%' IDENTIFIED BY PASSWORD '%s';
GRANT ALL ON test.* TO ` + clientRole + `@'%%';
`
)

// Environ implements server.Guarded.
func (m MariaDB) Environ() []string { return clientEnv(m.password, "MYSQL_PWD") }

func socket(c server.NodeConfig) string { return filepath.Join(c.Dir, "s") }

// Command implements server.Kind. A committed write survives the death of the server, but not a
// crash of the machine.
func (MariaDB) Command(c server.NodeConfig, _ string) (args []string, text string) {
	return []string{"--no-defaults", "--datadir=" + c.Dir, "--tmpdir=" + c.Dir,
		"--bind-address=" + c.Host,
		"--port=" + strconv.Itoa(c.Port), "--socket=" + socket(c),
		"--pid-file=" + filepath.Join(c.Dir, "pid"), "--skip-name-resolve",
		"--init-file=" + filepath.Join(c.Dir, users),
		"--max-connect-errors=4294967295", // of probes, which do not log in
		"--innodb-log-file-size=4M", "--innodb-flush-log-at-trx-commit=2",
		"--innodb-buffer-pool-size=16M"}, ""
}

// SaysReady and Operator implement server.Kind.
func (MariaDB) SaysReady(_ server.NodeConfig, line string) bool {
	return strings.Contains(line, "ready for connections")
}

func (MariaDB) Operator(c server.NodeConfig) server.Operator { return mariaServer{c} }

// mariaServer asks a server with the program mariadb.
type mariaServer struct{ server.NodeConfig }

// Version implements server.Operator: "10.11.14-MariaDB-...".
func (s mariaServer) Version() (string, error) {
	said, err := s.Programs().Ask(mysql, "--no-defaults", "--socket="+socket(s.NodeConfig),
		"-u", "root", "-N", "-e", "select version()")
	v, _, _ := strings.Cut(said, "-")
	return v, err
}

// Close implements server.Operator.
func (mariaServer) Close() error { return nil }
