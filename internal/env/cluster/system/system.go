// Package system starts the servers of systems other than Redis. Each system has a file, and a row
// in the table below. Package nemesis says which faults a system cannot have.
package system

import (
	"cmp"
	"crypto/hmac"
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/lockbench/lockbench/internal/env/cluster/server"
)

// systems lists all systems by the name that adapters use. The password is for clients.
var systems = map[string]func(password string) server.Kind{
	"etcd":      func(string) server.Kind { return Etcd{program: etcd} },
	"zookeeper": func(string) server.Kind { return ZooKeeper{program: zookeeper} },
	"postgres":  func(password string) server.Kind { return Postgres{postgres, password} },
	"pgbouncer": func(password string) server.Kind { return Pooled{Postgres{postgres, password}} },
	"postgres-synchronous": func(password string) server.Kind {
		return Synchronous{Postgres{postgres, password}}
	},
	"mariadb": func(password string) server.Kind { return MariaDB{mariadb, password} },
}

// program is what every system has.
type program struct {
	name  string
	files []string // that an image must have, the program of the server first, as server.Tools have it
	bring string   // the command that installs them
}

// Name implements server.Kind.
func (p program) Name() string { return p.name }

// Find implements server.Kind.
func (p program) Find() (string, error) {
	path, err := server.FindProgram(p.files[0])
	if err != nil {
		return "", fmt.Errorf("%s is not installed: `%s`", filepath.Base(p.files[0]), p.bring)
	}
	return path, nil
}

// Files implements server.Packed.
func (p program) Files() []string { return p.files }

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

// clientRole is the user name of clients. The user has no rights beyond its own tables.
const clientRole = "lockbench"

// clientEnv returns the environment variables with a client's name and password. Names are further
// variables for the password, which libraries of the system read.
func clientEnv(password string, names ...string) (env []string) {
	env = []string{"LOCKBENCH_USER=" + clientRole, "LOCKBENCH_PASSWORD=" + password}
	for _, n := range names {
		env = append(env, n+"="+password)
	}
	return env
}

// scram returns the form of a password that a PostgreSQL server stores. No client can log in with
// it, so statements, logs and arguments of programs may contain it.
func scram(password string) (string, error) {
	const rounds = 4096 // clients refuse fewer
	salt := make([]byte, 16)
	rand.Read(salt)
	salted, err := pbkdf2.Key(sha256.New, password, salt, rounds, sha256.Size)
	if err != nil {
		return "", err
	}
	sign := func(text string) []byte {
		m := hmac.New(sha256.New, salted)
		m.Write([]byte(text))
		return m.Sum(nil)
	}
	stored, text := sha256.Sum256(sign("Client Key")), base64.StdEncoding.EncodeToString
	return fmt.Sprintf("SCRAM-SHA-256$%d:%s$%s:%s", rounds, text(salt), text(stored[:]),
		text(sign("Server Key"))), nil
}

// native returns the form of a password that a MariaDB server stores.
func native(password string) string {
	once := sha1.Sum([]byte(password))
	twice := sha1.Sum(once[:])
	return "*" + strings.ToUpper(hex.EncodeToString(twice[:]))
}

// fromTemplate fills the folder of a server, if it is empty, with a copy of a template in the
// user's cache. Program makes the template, which takes seconds, once for each edition of the
// program and its arguments. Args returns the arguments for a folder to fill.
func fromTemplate(c server.NodeConfig, program string, args func(folder string) []string) error {
	if there, err := os.ReadDir(c.Dir); err != nil || len(there) > 0 {
		return err // the server comes back with its old files
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	edition, err := c.Programs().Edition(program)
	if err != nil {
		return err
	}
	wanted := sha256.Sum256([]byte(strings.Join(args("FOLDER"), "\n")))
	template := filepath.Join(cache, "lockbench", "systems", fmt.Sprintf("%s-%x", edition, wanted[:4]))
	if _, err := os.Stat(template); err != nil {
		if err := makeTemplate(template, func(folder string) error {
			return c.Programs().Fill(folder, program, args)
		}); err != nil {
			return err
		}
	}
	return os.CopyFS(c.Dir, os.DirFS(template))
}

// makeTemplate makes a template in a scratch folder and then moves it to its place in one step. If
// two processes do this, one works in vain. Other users can enter the scratch folder, since a user
// without rights fills the template.
func makeTemplate(template string, fill func(folder string) error) error {
	scratch, err := os.MkdirTemp("", "lockbench-template-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	fresh := filepath.Join(scratch, "fresh")
	if err := cmp.Or(os.Chmod(scratch, 0o711), os.Mkdir(fresh, 0o700)); err != nil {
		return err
	}
	if err := fill(fresh); err != nil {
		return err
	}
	return keep(fresh, template)
}

// keep copies a complete template to its place.
func keep(fresh, template string) error {
	above := filepath.Dir(template)
	if err := os.MkdirAll(above, 0o755); err != nil {
		return err
	}
	part, err := os.MkdirTemp(above, "part-")
	if err != nil {
		return err
	}
	if err := os.CopyFS(part, os.DirFS(fresh)); err != nil {
		os.RemoveAll(part)
		return err
	}
	if err := os.Rename(part, template); err != nil {
		os.RemoveAll(part)
		if _, there := os.Stat(template); there != nil {
			return err
		}
	}
	return nil
}
