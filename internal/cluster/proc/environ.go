package proc

import (
	"os"
	"slices"
	"strings"
)

// The names of what children may know of this process's environment: where programs and files are,
// the language, and the settings of Go and of lockbench.
var (
	inherited = []string{"PATH", "HOME", "TMPDIR", "LANG", "LANGUAGE", "TZ", "USER", "XDG_CACHE_HOME",
		"LD_LIBRARY_PATH", "GOCOVERDIR", "GODEBUG", "GORACE", "GOTRACEBACK"}
	inheritedPrefixes = []string{"LC_", "LOCKBENCH_"}
)

// login begins the names of what says who lockbench is to a Redis of another owner.
const login = "LOCKBENCH_REDIS_"

// Environ is the environment of a child: what it needs of this process's own, and never a password.
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
