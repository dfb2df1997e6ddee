package system

import (
	"crypto/hmac"
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strings"
)

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
