package doctor

import (
	"maps"
	"os/exec"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/adapters"
	"github.com/lockbench/lockbench/internal/env/cluster/system"
)

// packages maps each program of a toolchain to the packages that have it.
var packages = map[string]string{"python3": "python3 python3-venv", "node": "nodejs", "npm": "npm",
	"java": "default-jdk", "javac": "default-jdk", "jar": "default-jdk", "mvn": "maven",
	"cargo": "cargo", "go": "golang", "ruby": "ruby ruby-redis", "php": "php-cli php-redis"}

// systems returns the findings about servers of other systems than Redis.
func systems() (findings []Finding) {
	for _, name := range system.Names() {
		f, found := Finding{Name: name, For: "the adapters " + strings.Join(adaptersOf(name), ", ")}, ""
		kind, err := system.Find(name)
		if err == nil {
			found, err = kind.Find()
		}
		findings = append(findings, f.with(found, err))
	}
	return findings
}

// adaptersOf returns the adapters whose lock is in servers of a system.
func adaptersOf(system string) (names []string) {
	for _, a := range adapters.All() {
		if slices.ContainsFunc(a.Variants, func(v adapters.Variant) bool {
			u, err := a.Use(v.Name)
			return err == nil && u.System == system
		}) {
			names = append(names, a.Name)
		}
	}
	return names
}

// toolchains returns the findings about the programs that adapters need.
func toolchains() (findings []Finding) {
	users := map[string][]string{}
	for _, a := range adapters.All() {
		for _, program := range a.Needs {
			users[program] = append(users[program], a.Name)
		}
	}
	for _, program := range slices.Sorted(maps.Keys(users)) {
		f := Finding{Name: program, For: "the adapters " + strings.Join(users[program], ", ")}
		if p, ok := packages[program]; ok {
			f.Advice = "apt-get install " + p
		}
		path, err := exec.LookPath(program)
		if err != nil {
			err = errNotFound
		}
		findings = append(findings, f.with(path, err))
	}
	return findings
}
