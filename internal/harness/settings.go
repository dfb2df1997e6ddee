package harness

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/internal/history"
)

// settings are the settings of redis-server that a plan may name. A plan or a gate file may come
// with a pull request of a stranger, and must not write files, listen elsewhere or load code. So
// this is a list of allowed settings, never of forbidden ones.
var settings = strings.Fields(`
	appendonly appendfsync no-appendfsync-on-rewrite auto-aof-rewrite-percentage
	auto-aof-rewrite-min-size aof-use-rdb-preamble aof-load-truncated aof-rewrite-incremental-fsync
	save stop-writes-on-bgsave-error rdbcompression rdbchecksum rdb-save-incremental-fsync
	maxmemory maxmemory-policy maxmemory-samples maxmemory-eviction-tenacity maxmemory-clients
	hz dynamic-hz active-expire-effort activerehashing activedefrag
	lazyfree-lazy-eviction lazyfree-lazy-expire lazyfree-lazy-server-del lazyfree-lazy-user-del
	min-replicas-to-write min-replicas-max-lag min-slaves-to-write min-slaves-max-lag
	repl-timeout repl-ping-replica-period repl-backlog-size repl-backlog-ttl repl-diskless-sync
	repl-diskless-sync-delay repl-diskless-load repl-disable-tcp-nodelay
	replica-serve-stale-data replica-read-only replica-ignore-maxmemory replica-lazy-flush
	timeout tcp-keepalive maxclients client-output-buffer-limit client-query-buffer-limit
	lua-time-limit busy-reply-threshold notify-keyspace-events propagation-error-behavior
	io-threads io-threads-do-reads latency-monitor-threshold slowlog-log-slower-than slowlog-max-len
`)

// maxSetting is the greatest length of a setting's value, in bytes.
const maxSetting = 200

// allowed returns an error if a plan names a setting of redis-server that it must not name. Names
// and values alternate in config.
func allowed(config []string) error {
	if len(config)%2 != 0 {
		return fmt.Errorf("redis_config has %d words; it is a list of names and values", len(config))
	}
	for pair := range slices.Chunk(config, 2) {
		name, value := pair[0], pair[1]
		if !slices.Contains(settings, name) {
			return fmt.Errorf("--redis-config %.40q: this setting is not for a run; possible are %s",
				name, strings.Join(settings, ", "))
		}
		if len(value) > maxSetting || strings.HasPrefix(value, "--") ||
			strings.ContainsFunc(value, func(r rune) bool { return r < ' ' }) {
			return fmt.Errorf("--redis-config %s=%.40q: a setting cannot have this value", name, value)
		}
	}
	return nil
}

// Judgeable returns an error that names the first of the properties that does not exist.
func Judgeable(properties []string) error {
	all := history.Properties()
	for _, p := range properties {
		if !slices.Contains(all, p) {
			return fmt.Errorf("unknown property %q; there are: %s", p, strings.Join(all, ", "))
		}
	}
	return nil
}

// Expectable returns an error if an expectation is invalid; see history.ParseExpectation.
func Expectable(expect string) error {
	if expect == "" {
		return nil
	}
	e := history.ParseExpectation(expect)
	if err := Judgeable(e.Letters); err != nil {
		return fmt.Errorf("--expect %q is unknown; write valid, violated, starved, letters such as S,L, "+
			"or exactly:S,L: %w", expect, err)
	}
	if e.Exactly && len(e.Letters) == 0 {
		return fmt.Errorf("--expect %q names no letter; write --expect exactly:S,L", expect)
	}
	return nil
}

// Place says where the servers of an environment are, in addition to the environment's name. A plan
// contains it, so that the plan repeats the same environment. Only the environment can check that
// the named servers exist.
type Place struct {
	// environment process: the program to start as Redis, or "" for the installed redis-server
	Server  string `json:"server,omitempty"`
	Image   string `json:"image,omitempty"`   // environment docker: the image of the servers
	Network string `json:"network,omitempty"` // environment docker: host or bridge, or auto
	// environment docker: where workers run, on the host or in a container each
	Workers string `json:"workers,omitempty"`
	// environment external: host:port of each independent master
	Addrs []string `json:"addrs,omitempty"`
	TLS   bool     `json:"tls,omitempty"` // environment external
	// environment external: accept a database that holds keys of others
	AnyDatabase bool `json:"any_database,omitempty"`
}

// Suits returns an error if a field is set that belongs to another environment.
func (p Place) Suits(environment string) error {
	for _, field := range []struct {
		flag, environment string
		given             bool
	}{
		{"server", "process", p.Server != ""},
		{"redis-image", "docker", p.Image != ""},
		{"docker-network", "docker", p.Network != ""},
		{"workers", "docker", p.Workers != ""},
		{"addr", "external", len(p.Addrs) > 0},
		{"tls", "external", p.TLS},
		{"any-database", "external", p.AnyDatabase},
	} {
		if field.given && field.environment != environment {
			return fmt.Errorf("--%s is for --env %s, and this is the environment %s", field.flag,
				field.environment,
				environment)
		}
	}
	return nil
}
