package watch

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/internal/base/strictyaml"
	"github.com/lockbench/lockbench/internal/env/sim/engine"
)

// Names is a mapping file: it names what a watch cannot recognise.
type Names struct {
	// the names of locks by the pattern of their keys; keys that are named "ignore" are not judged
	Keys map[string]string `yaml:"keys"`
	// what scripts do, by the start of their SHA-1: take, release or renew
	Scripts map[string]string `yaml:"scripts"`
}

// ReadNames reads a mapping file.
func ReadNames(file string, text []byte) (*Names, error) {
	v, err := strictyaml.Parse(file, text)
	if err != nil {
		return nil, err
	}
	n := &Names{}
	if err := v.Decode(n); err != nil {
		return nil, err
	}
	for sha, what := range n.Scripts {
		if !slices.Contains([]string{"take", "release", "renew"}, what) {
			return nil, fmt.Errorf("%s: the script %s is %q; write take, release or renew", file, sha, what)
		}
	}
	return n, nil
}

// find returns the name of a key, or "". An exact pattern wins over others.
func (n *Names) find(key string) (name string) {
	if n == nil {
		return ""
	}
	if name = n.Keys[key]; name != "" {
		return name
	}
	best := ""
	for pattern, as := range n.Keys {
		if engine.Glob(pattern, key) && (len(pattern) > len(best) ||
			len(pattern) == len(best) && pattern < best) {
			best, name = pattern, as
		}
	}
	return name
}

// role returns the declared role of a script.
func (n *Names) role(sha string) *role {
	r := &role{}
	if n == nil {
		return r
	}
	for start, what := range n.Scripts {
		if strings.HasPrefix(strings.ToLower(sha), strings.ToLower(start)) {
			r.takes, r.frees, r.renews = what == "take", what == "release", what == "renew"
		}
	}
	return r
}
