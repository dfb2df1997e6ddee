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

// clientRole is the user as whom clients log in. It has no rights beyond its own tables.
const clientRole = "lockbench"

// clientEnv tells a client who it is: by names of our own, and by those that libraries of the
// system read.
func clientEnv(password string, names ...string) (env []string) {
	env = []string{"LOCKBENCH_USER=" + clientRole, "LOCKBENCH_PASSWORD=" + password}
	for _, n := range names {
		env = append(env, n+"="+password)
	}
	return env
}

// scram is what a PostgreSQL server keeps of a password. It lets no one log in, so that statements,
// logs and arguments of programs may have it.
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

// native is what a MariaDB server keeps of a password.
func native(password string) string {
	once := sha1.Sum([]byte(password))
	twice := sha1.Sum(once[:])
	return "*" + strings.ToUpper(hex.EncodeToString(twice[:]))
}
