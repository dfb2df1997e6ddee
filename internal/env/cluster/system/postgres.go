package system

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/lockbench/lockbench/internal/env/cluster/server"
)

// Postgres is a PostgreSQL server. Its superuser logs in through a socket in the server's folder,
// which other users cannot enter. Clients have a role without rights, and a password.
type Postgres struct {
	program
	password string
}

// Probe implements server.Probed. It asks for TLS, and the server grants or refuses that.
func (Postgres) Probe() string { return "\x00\x00\x00\x08\x04\xd2\x16\x2f" }

// The programs, at their places in Debian. If there are several versions, the newest runs.
const (
	initdb = "/usr/lib/postgresql/*/bin/initdb"
	psql   = "/usr/lib/postgresql/*/bin/psql"
)

var postgres = program{"postgres", []string{"/usr/lib/postgresql/*/bin/postgres", initdb, psql},
	"apt-get install postgresql"}

// Prepare implements server.Preparer.
func (p Postgres) Prepare(c server.NodeConfig) error {
	if err := os.Chmod(c.Dir, 0o700); err != nil { // PostgreSQL demands this
		return err
	}
	err := fromTemplate(c, initdb, func(folder string) []string {
		return []string{"-D", folder, "-U", superuser, "--auth=trust", "--no-sync", "--locale=C",
			"--encoding=UTF8", "--wal-segsize=1"}
	})
	if err != nil {
		return err
	}
	files := map[string]string{"pg_hba.conf": hba}
	if c.ReplicaOf != "" {
		// the template is the same as the primary's at its start, so a standby catches up from there
		// without a backup
		files["standby.signal"], files[passwords] = "", "*:*:*:"+standbyRole+":"+p.password+"\n"
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(c.Dir, name), []byte(text), 0o600); err != nil {
			return err
		}
	}
	return nil
}

const (
	superuser   = "postgres"
	standbyRole = "standby"
	passwords   = "passwords" // the file with a standby's password
	// the users that may log in, and their methods
	hba = "local all " + superuser + " trust\n" +
		"host postgres " + clientRole + " all scram-sha-256\n" +
		"host replication " + standbyRole + " all scram-sha-256\n"
)

// Environ implements server.Guarded.
func (p Postgres) Environ() []string { return clientEnv(p.password, "PGPASSWORD") }

// Command implements server.Kind. A committed write survives the death of the server, but not a
// crash of the machine. The dynamic shared memory of its processes is in files of its folder, so a
// killed server leaves none of it behind elsewhere.
func (Postgres) Command(c server.NodeConfig, _ string) (args []string, text string) {
	args = []string{"-D", c.Dir, "-h", c.Host, "-p", strconv.Itoa(c.Port), "-k", c.Dir,
		"-c", "fsync=off", "-c", "full_page_writes=off", "-c", "shared_buffers=16MB",
		"-c", "max_connections=100", "-c", "wal_keep_size=64MB",
		"-c", "dynamic_shared_memory_type=mmap"}
	if host, port, err := net.SplitHostPort(c.ReplicaOf); err == nil {
		args = append(args, "-c", fmt.Sprintf("primary_conninfo=host=%s port=%s user=%s passfile='%s'",
			host, port, standbyRole, filepath.Join(c.Dir, passwords)),
			"-c", "wal_retrieve_retry_interval=100ms")
	}
	return args, ""
}

// SaysReady implements server.Kind. A server is ready if it serves clients or, as a standby,
// follows the primary.
func (Postgres) SaysReady(c server.NodeConfig, line string) bool {
	if c.ReplicaOf != "" {
		return strings.Contains(line, "started streaming WAL from primary") ||
			strings.Contains(line, "ready to accept connections")
	}
	return strings.Contains(line, "database system is ready to accept")
}

// Operator implements server.Kind.
func (Postgres) Operator(c server.NodeConfig) server.Operator { return pgServer{c} }

// pgServer asks a server with psql, as the superuser.
type pgServer struct{ server.NodeConfig }

// Open implements server.Opener. A standby gets its roles from the primary.
func (p Postgres) Open(c server.NodeConfig) error {
	if c.ReplicaOf != "" {
		return nil
	}
	secret, err := scram(p.password)
	if err == nil {
		_, err = pgServer{c}.ask(fmt.Sprintf(`do $$ begin
			create role %[1]s login; create role %[2]s login replication;
		exception when duplicate_object then null; end $$;
		alter role %[1]s password '%[3]s'; alter role %[2]s password '%[3]s';
		grant all on database postgres to %[1]s; grant all on schema public to %[1]s`,
			clientRole, standbyRole, secret))
	}
	return err
}

// Version implements server.Operator.
func (s pgServer) Version() (string, error) {
	v, err := s.ask("show server_version")
	v, _, _ = strings.Cut(v, " ")
	return v, err
}

// Barrier waits until this number of standbys have all writes of the server.
func (s pgServer) Barrier(standbys int) error {
	_, err := s.ask(fmt.Sprintf(`do $$ declare told pg_lsn := pg_current_wal_lsn(); begin
		for i in 1..1000 loop
			if (select count(*) from pg_stat_replication where replay_lsn >= told) >= %d then return; end if;
			perform pg_sleep(0.005);
		end loop;
		raise exception 'its standbys have not heard of everything after 5 s';
	end $$`, standbys))
	return err
}

// Promote makes a standby a primary, and returns when it takes writes.
func (s pgServer) Promote() error {
	done, err := s.ask("select pg_promote(true, 10)")
	if err == nil && done != "t" {
		err = fmt.Errorf("%s was told to be a primary, and is none after 10 s", s.Name)
	}
	return err
}

// Role returns "master", or "slave" for a standby, in the words of Redis.
func (s pgServer) Role() (string, error) {
	return s.ask("select case when pg_is_in_recovery() then 'slave' else 'master' end")
}

// Close implements server.Operator.
func (pgServer) Close() error { return nil }

func (s pgServer) ask(sql string) (string, error) {
	return s.Programs().Ask(psql, "-X", "-A", "-q", "-t", "-h", s.Dir, "-p", strconv.Itoa(s.Port),
		"-U", superuser, "-d", "postgres", "-c", sql)
}
