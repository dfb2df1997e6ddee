package proc

import (
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
)

// The parts of this process's environment that children may see: the places of programs and files,
// the language, and the settings of Go and of lockbench.
var (
	inherited = []string{"PATH", "HOME", "TMPDIR", "LANG", "LANGUAGE", "TZ", "USER", "XDG_CACHE_HOME",
		"LD_LIBRARY_PATH", "GOCOVERDIR", "GODEBUG", "GORACE", "GOTRACEBACK"}
	inheritedPrefixes = []string{"LC_", "LOCKBENCH_"}
)

// tools lists the settings with which package managers and compilers find packages, their caches
// and the network. None of them holds a token.
var tools = []string{
	"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR", "CURL_CA_BUNDLE",
	"REQUESTS_CA_BUNDLE", "NODE_EXTRA_CA_CERTS", "JAVA_HOME", "MAVEN_HOME",
	"GOROOT", "GOPATH", "GOCACHE", "GOMODCACHE", "GOTMPDIR", "GOENV", "GOFLAGS",
	"GOTOOLCHAIN", "GOPROXY", "GONOPROXY", "GOPRIVATE", "GOINSECURE", "GOSUMDB", "GONOSUMDB", "GOVCS",
	"CGO_ENABLED", "CC", "CXX",
	"PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "PIP_TRUSTED_HOST", "PIP_CERT", "PIP_CACHE_DIR",
	"PIP_CONFIG_FILE", "PIP_NO_INDEX", "PIP_FIND_LINKS", "PIP_PROXY",
	"NPM_CONFIG_REGISTRY", "NPM_CONFIG_CACHE", "NPM_CONFIG_USERCONFIG", "NPM_CONFIG_CAFILE",
	"NPM_CONFIG_PROXY", "NPM_CONFIG_HTTPS_PROXY", "NPM_CONFIG_OFFLINE",
	"CARGO_HOME", "CARGO_NET_OFFLINE", "CARGO_HTTP_CAINFO", "CARGO_HTTP_PROXY", "RUSTUP_HOME",
	"RUSTUP_TOOLCHAIN", "RUSTUP_DIST_SERVER",
	"GEMRC", "BUNDLE_USER_HOME", "COMPOSER_HOME", "COMPOSER_CACHE_DIR",
}

// ToolSettings returns the settings of package managers and of the network that a setup needs to
// find its packages. Their names may be in lower case. It leaves out an address with a user or a
// password.
func ToolSettings() (env []string) {
	for _, setting := range os.Environ() {
		name, value, _ := strings.Cut(setting, "=")
		if slices.Contains(tools, strings.ToUpper(name)) && !strings.Contains(value, "@") {
			env = append(env, setting)
		}
	}
	return env
}

// login is the prefix of the settings with lockbench's credentials for a foreign Redis.
const login = "LOCKBENCH_REDIS_"

// Environ returns the environment of a child: the settings that a child needs, and no password.
func Environ() []string {
	return slices.DeleteFunc(os.Environ(), func(setting string) bool {
		name, _, _ := strings.Cut(setting, "=")
		return !inherits(name)
	})
}

func inherits(name string) bool {
	if strings.HasPrefix(name, login) {
		return false
	}
	for _, p := range inheritedPrefixes {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	return slices.Contains(inherited, name)
}

// CollectSeldom makes this process collect its garbage rarely, unless the user has set GOGC. A run
// on real servers keeps little memory, and its report is finished before there is much garbage. A
// simulated run throws away 0.1 to 0.6 MB and keeps nothing. With Go's default of 100 the collector
// ran after every 10 to 40 of them, for 8 % of the time. 400 makes that 2 %, and bounds the heap by
// five times the memory that the process keeps.
var CollectSeldom = sync.OnceFunc(func() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
})
