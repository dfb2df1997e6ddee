package system

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/lockbench/lockbench/internal/cluster/server"
)

// MariaDB is a MariaDB server, whose user root has no password.
type MariaDB struct{}

// Name is server.Kind.
func (MariaDB) Name() string { return "mariadb" }

// Find is server.Kind. A user's PATH seldom has the place where Debian puts it.
func (MariaDB) Find() (string, error) {
	const usual = "/usr/sbin/mariadbd"
	if _, err := os.Stat(usual); err == nil {
		return usual, nil
	}
	return installed("mariadbd", "apt-get install mariadb-server")
}

// Unprivileged is server.Unprivileged.
func (MariaDB) Unprivileged() {}

// Prepare is server.Preparer.
func (MariaDB) Prepare(c server.NodeConfig) error {
	return fromTemplate(c.Dir, "mariadb", func(folder string) *exec.Cmd {
		return exec.Command("mariadb-install-db", "--no-defaults", "--datadir="+folder,
			"--auth-root-authentication-method=normal", "--skip-test-db", "--skip-name-resolve",
			"--innodb-log-file-size=4M")
	})
}

// Command is server.Kind. What was committed survives the death of the server, not that of the
// machine.
func (MariaDB) Command(c server.NodeConfig, _ string) (args []string, text string) {
	return []string{"--no-defaults", "--datadir=" + c.Dir, "--bind-address=" + c.Host,
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
	out, err := exec.Command("mariadb", "--no-defaults", "-h", s.Host, "-P", strconv.Itoa(s.Port),
		"-u", "root", "-N", "-e", "select version()").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("mariadb: %w: %.200s", err, out)
	}
	v, _, _ := strings.Cut(strings.TrimSpace(string(out)), "-")
	return v, nil
}

// Close is server.Operator.
func (mariaServer) Close() error { return nil }
