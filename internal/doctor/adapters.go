package doctor

import (
	"maps"
	"os/exec"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/adapters"
)

// packages are what brings the programs of toolchains along.
var packages = map[string]string{"python3": "python3 python3-venv", "node": "nodejs", "npm": "npm",
	"java": "default-jdk", "javac": "default-jdk", "mvn": "maven", "cargo": "cargo", "go": "golang"}

// toolchains are the programs that adapters need.
func toolchains() (findings []Finding) {
	users := map[string][]string{}
	for _, a := range adapters.All() {
		for _, program := range a.Needs {
			users[program] = append(users[program], a.Name)
		}
	}
	for _, program := range slices.Sorted(maps.Keys(users)) {
		f := Finding{Name: program, Found: "not found",
			For: "the adapters " + strings.Join(users[program], ", ")}
		if path, err := exec.LookPath(program); err == nil {
			f.OK, f.Found = true, path
		} else if p, ok := packages[program]; ok {
			f.Advice = "apt-get install " + p
		}
		findings = append(findings, f)
	}
	return findings
}
