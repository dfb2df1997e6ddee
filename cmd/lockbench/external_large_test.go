package main

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io/fs"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/lockbench/lockbench/impls"
	"github.com/lockbench/lockbench/internal/dev/testenv"
	"github.com/lockbench/lockbench/internal/env/cluster/server"
	"github.com/lockbench/lockbench/internal/run/runner"
	"github.com/redis/go-redis/v9"
)

// staging is a Redis of another owner: with a key of its owner, and a user who may touch only our
// keys and may run no dangerous command.
type staging struct {
	plain, tls string // host:port
	ca         string // file of the authority to trust
	admin      *redis.Client
}

// secret is the user's password.
const secret = "do-not-tell"

func newStaging(t *testing.T, config ...string) staging {
	t.Helper()
	testenv.Part(t, "redis")
	dir := t.TempDir()
	host, port := testenv.Address()
	secure := strconv.Itoa(port + 1)
	cert, key := certificate(t, dir, host)
	n, err := server.StartNode(server.NodeConfig{Name: "theirs", Host: host, Port: port, Dir: dir,
		Log: filepath.Join(dir, "log"), Config: append(config,
			"tls-port", secure, "tls-cert-file", cert, "tls-key-file", key, "tls-ca-cert-file", cert,
			"tls-auth-clients", "no",
		)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(n.Kill)
	if err := n.Ready(); err != nil {
		t.Fatal(err)
	}
	s := staging{plain: n.Addr(), tls: net.JoinHostPort(host, secure), ca: cert,
		admin: redis.NewClient(&redis.Options{Addr: n.Addr(), Protocol: 2, DisableIdentity: true})}
	t.Cleanup(func() { s.admin.Close() })
	s.do(t, "ACL", "SETUSER", "bench", "on", ">"+secret, "~*lockbench:*", "&*lockbench:*", "+@all",
		"-@dangerous", "-@admin", "+info")
	return s
}

func (s staging) do(t *testing.T, args ...any) {
	t.Helper()
	if err := s.admin.Do(context.Background(), args...).Err(); err != nil {
		t.Fatal(err)
	}
}

// certificate writes one that vouches for itself and an address, and its key.
func certificate(t *testing.T, dir, host string) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "staging"}, IPAddresses: []net.IP{
			net.ParseIP(host)}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	signed, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	secretKey, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	for name, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: signed},
		key: {Type: "PRIVATE KEY", Bytes: secretKey}} {
		if err := os.WriteFile(name, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return cert, key
}

// visit runs lockbench against the staging instance, as its user, and returns the exit code,
// its output and its store.
func (s staging) visit(t *testing.T, env []string, args ...string) (code int, said, store string) {
	t.Helper()
	tmp := t.TempDir()
	store = filepath.Join(tmp, "store")
	c := command(t, tmp, append(args, "--env", runner.External, "--store", store)...)
	c.Env = append(c.Env, append([]string{"SSL_CERT_FILE=" + s.ca}, env...)...)
	out, _ := c.CombinedOutput()
	return c.ProcessState.ExitCode(), string(out), store
}

// gaveUp reports whether a command left because the server had not answered in a second and a half.
// A machine that stalls lets that happen.
func gaveUp(said string) bool { return strings.Contains(said, "context deadline exceeded") }

// visitUntilSure wants a run to end as expected. A verdict that is unknown because the machine
// stalled is honest, and says nothing of the visit: the run is made again, as is one that missed
// the violation it looks for. It returns the store.
func (s staging) visitUntilSure(t *testing.T, args []string, what string) (store string) {
	t.Helper()
	for try := 1; ; try++ {
		code, said, store := s.visit(t, asBench, args...)
		tells(t, store)
		missed := code == 1 && slices.Contains(args, "--expect")
		if (code == 2 || missed || gaveUp(said)) && try <= 8 {
			continue
		}
		if code != 0 {
			t.Errorf("%s: exit code %d: %s", what, code, said)
		}
		return store
	}
}

// asBench logs in as the user of lockbench.
var asBench = []string{"LOCKBENCH_REDIS_USER=bench", "LOCKBENCH_REDIS_PASSWORD=" + secret}

func TestAVisitLeavesEverythingAsItWas(t *testing.T) {
	testenv.SkipRace(t)
	t.Parallel()
	s := newStaging(t)
	s.do(t, "SET", "theirs", "1")
	s.do(t, "SELECT", "0")
	s.do(t, "CONFIG", "RESETSTAT")
	runs := []struct{ lock, nemesis, expect string }{
		{"token-lua", "pause", "S"}, {"setnx", "crash", "D"}, {"redisson-fenced", "partition", "D"},
		{"getset", "clock-client", "S"}, {"setpx-del", "late", "S"},
		{"redis-py", "pause", "S"}, // behind a tap, which does not speak TLS itself
	}
	for _, r := range runs {
		of := "--impl"
		if _, err := impls.Find(r.lock); err != nil {
			if set, err := condition("adapter:" + r.lock); err != nil || !set {
				t.Log(r.lock, "is not set up here", err)
				continue
			}
			of = "--adapter"
		}
		args := []string{"run", of, r.lock, "--nemesis", r.nemesis, "--ttl", "1s", "--addr", s.tls,
			"--tls", "--any-database"}
		if r.expect != "" {
			args = append(args, "--expect", r.expect)
		}
		s.visitUntilSure(t, args, r.lock+" under "+r.nemesis)
	}
	if keys := s.admin.Keys(t.Context(), "*").Val(); len(keys) != 1 || keys[0] != "theirs" {
		t.Errorf("the keys %v are left, not only theirs", keys)
	}
	stats := s.admin.Info(t.Context(), "commandstats").Val()
	for _, never := range []string{"flushall", "flushdb", "monitor", "config|set", "swapdb", "debug",
		"shutdown", "client|kill", "script|kill", "script|flush"} {
		if strings.Contains(stats, "cmdstat_"+never+":") {
			t.Errorf("%s was sent", never)
		}
	}
}

// tells demands that the password is in no output and no file.
func tells(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		if b, err := os.ReadFile(name); err != nil || bytes.Contains(b, []byte(secret)) {
			t.Errorf("%s: %v; it must be readable and not have the password", name, err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

func TestWhatAVisitRefuses(t *testing.T) {
	t.Parallel()
	s := newStaging(t)
	for name, row := range map[string]struct {
		env  []string
		args []string
		says string
	}{
		"not trusted": {append([]string{"SSL_CERT_FILE=/dev/null"}, asBench...),
			[]string{"--tls", "--addr", s.tls}, "certificate"},
		"no TLS there":     {asBench, []string{"--tls", "--addr", s.plain}, "no Redis answers"},
		"TLS, and no flag": {asBench, []string{"--addr", s.tls}, "no Redis answers"},
		"wrong password": {[]string{"LOCKBENCH_REDIS_USER=bench", "LOCKBENCH_REDIS_PASSWORD=wrong"},
			[]string{"--addr", s.plain}, "are refused: WRONGPASS"},
		"a fault of Redis": {asBench, []string{"--addr", s.plain, "--nemesis", "node-pause"},
			"this Redis is not ours"},
		"a clock of Redis": {asBench, []string{"--addr", s.plain, "--nemesis", "clock-server"},
			"this Redis is not ours"},
		"a failover": {asBench, []string{"--addr", s.plain, "--nemesis", "failover"},
			"not possible in this environment"},
		"sentinels": {asBench, []string{"--addr", s.plain, "--nemesis", "failover-sentinel"},
			"not possible in this environment"},
		"settings of Redis": {asBench, []string{"--addr", s.plain, "--redis-config", "hz=1"},
			"leave --redis-config out"},
	} {
		t.Run(name, func(t *testing.T) {
			args := append([]string{"run", "--impl", "token-lua"}, row.args...)
			code, said, _ := s.visit(t, row.env, args...)
			for try := 1; !strings.Contains(said, row.says) && gaveUp(said) && try <= 8; try++ {
				code, said, _ = s.visit(t, row.env, args...)
			}
			if code != exitUsage || !strings.Contains(said, row.says) || strings.Count(said, "\n") != 1 {
				t.Errorf("exit code %d: %s\nit must be %d, in one line that names %q", code, said, exitUsage,
					row.says)
			}
		})
	}
	s.do(t, "SET", "theirs", "1")
	if code, said, _ := s.visit(t, asBench, "run", "--impl", "token-lua", "--addr", s.plain); code !=
		exitUsage || !strings.Contains(said, `such as "theirs"`) {
		t.Errorf("a database with a key of others: exit code %d: %s", code, said)
	}
	s.do(t, "RENAME", "theirs", "lockbench:ABC:lock:0") // of a run that was killed
	s.visitUntilSure(t, []string{"run", "--impl", "token-lua", "--addr", s.plain},
		"a database with what a killed run left")
}

// TestAPlanVisitsTheSameRedisAgain repeats a run from its plan alone, and as before the password is
// not in it.
func TestAPlanVisitsTheSameRedisAgain(t *testing.T) {
	t.Parallel()
	s := newStaging(t)
	store := s.visitUntilSure(t, []string{"run", "--impl", "token-lua", "--addr", s.tls, "--tls"},
		"the first run")
	in(t, t.TempDir(), 0, append(append([]string{"env", "SSL_CERT_FILE=" + s.ca}, asBench...),
		"lockbench", "run", "--plan", filepath.Join(store, "latest", "plan.json"))...)
}
