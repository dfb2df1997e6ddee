package system

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/lockbench/lockbench/internal/dev/testenv"
	"github.com/lockbench/lockbench/internal/env/cluster/server"
)

// asClient has a server carry out a statement, as a client with the environment of the server's
// kind.
func asClient(c server.NodeConfig, statement string) error {
	env := server.ClientEnv(c.Kind)
	if b, ok := c.Kind.(bouncer); ok {
		env = Postgres{postgres, b.password}.Environ()
	}
	return login(c, clientRole, env, statement)
}

// login has a server carry out a statement for a user who comes from the network.
func login(c server.NodeConfig, user string, env []string, statement string) error {
	program, args := psql, []string{"-X", "-w", "-h", c.Host, "-p", strconv.Itoa(c.Port), "-U", user,
		"-d", "postgres", "-c", statement}
	if c.Kind.Name() == "mariadb" {
		program, args = mysql, []string{"--no-defaults", "--protocol=tcp", "-h", c.Host, "-P",
			strconv.Itoa(c.Port), "-u", user, "-e", statement}
	}
	path, err := server.FindProgram(program)
	if err != nil {
		return err
	}
	cmd := exec.Command(path, args...)
	cmd.Env = append(os.Environ(), env...)
	if said, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, said)
	}
	return nil
}

// TestAServerLetsInItsClientsOnly: another user of the machine can neither log in nor, as a client,
// run a program or write a file.
func TestAServerLetsInItsClientsOnly(t *testing.T) {
	allowed := "create table if not exists mine (n int); insert into mine values (1)"
	for name, row := range map[string]struct {
		users     []string // who cannot log in without a password
		forbidden []string // what a client cannot do
	}{
		"postgres": {users: []string{superuser, clientRole, standbyRole}, forbidden: []string{
			"copy mine from program 'id'", "copy mine to '/tmp/lockbench-proof'",
			"alter system set archive_command = 'id'", "create role other superuser"}},
		"mariadb": {users: []string{"root", clientRole, ""}, forbidden: []string{
			"select 1 into outfile '/tmp/lockbench-proof'",
			"set global general_log_file = '/tmp/lockbench-proof'",
			"install soname 'auth_socket'", "select * from mysql.global_priv"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			testenv.Part(t, name)
			c := running(t, name)
			statement := allowed
			if name == "mariadb" {
				statement = "create database if not exists test; use test; " + allowed
			}
			if err := asClient(c, statement); err != nil {
				t.Fatal(err)
			}
			for _, f := range row.forbidden {
				if asClient(c, f) == nil {
					t.Errorf("a client may: %s", f)
				}
			}
			for _, user := range row.users {
				if login(c, user, nil, "select 1") == nil {
					t.Errorf("%q logs in without a password", user)
				}
			}
			secretive(t, c)
		})
	}
}

// running starts a server, which is ready.
func running(t *testing.T, system string) server.NodeConfig {
	t.Helper()
	folder, err := server.Scratch()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { folder.Close() })
	host, port := testenv.Address()
	c := server.NodeConfig{Name: "n0", Host: host, Port: port, Kind: found(t, system),
		Dir: filepath.Join(folder.Path, "n0"), Log: filepath.Join(t.TempDir(), "log")}
	n, err := server.StartNode(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(n.Kill)
	if err := n.Ready(); err != nil {
		t.Fatal(err)
	}
	return c
}

// secretive fails if the password is in the arguments of a process or in the server's log, or if
// others can look into its folder.
func secretive(t *testing.T, c server.NodeConfig) {
	t.Helper()
	_, password, _ := strings.Cut(server.ClientEnv(c.Kind)[1], "=")
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, f := range append(files, c.Log) {
		if text, _ := os.ReadFile(f); strings.Contains(string(text), password) {
			t.Errorf("the password is in %s", f)
		}
	}
	if i, err := os.Stat(c.Dir); err != nil || i.Mode().Perm() != 0o700 {
		t.Errorf("its folder is open: %v, %v", i.Mode(), err)
	}
}
