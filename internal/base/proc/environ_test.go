package proc

import (
	"slices"
	"strings"
	"testing"
)

// TestToolSettingsAreAList: what only begins like a setting of a package manager may be a token.
func TestToolSettingsAreAList(t *testing.T) {
	for setting, passes := range map[string]bool{
		"GOPROXY=https://proxy.test": true, "https_proxy=http://proxy.test:3128": true,
		"NPM_CONFIG_REGISTRY=https://npm.test": true, "npm_config_cache=/c": true,
		"CARGO_HOME=/c": true, "RUSTUP_HOME=/r": true, "PIP_INDEX_URL=https://pip.test": true,
		"GOPROXY=https://me:secret@proxy.test": false, "PIP_INDEX_URL=https://token@pip.test": false,
		"CARGO_REGISTRY_TOKEN=x": false, "CARGO_REGISTRIES_MINE_TOKEN=x": false,
		"NPM_CONFIG__AUTH=x": false, "NPM_CONFIG__AUTHTOKEN=x": false, "PIP_PASSWORD=x": false,
		"MAVEN_PASSWORD=x": false, "GOOGLE_API_KEY=x": false, "GOAUTH=x": false,
	} {
		name, value, _ := strings.Cut(setting, "=")
		t.Run(name, func(t *testing.T) {
			t.Setenv(name, value)
			if got := slices.Contains(ToolSettings(), setting); got != passes {
				t.Errorf("a setup is told %s: %v", setting, got)
			}
		})
	}
}

func TestEnviron(t *testing.T) {
	for name, passes := range map[string]bool{
		"TMPDIR": true, "LC_ALL": true, "LOCKBENCH_CLOCK": true,
		"LOCKBENCH_REDIS_PASSWORD": false, "LOCKBENCH_REDIS_USER": false, "AWS_SECRET_ACCESS_KEY": false,
		"REDISCLI_AUTH": false, "LC": false,
	} {
		t.Setenv(name, "x")
		if got := slices.Contains(Environ(), name+"=x"); got != passes {
			t.Errorf("a child is told %s: %v", name, got)
		}
	}
	if !slices.ContainsFunc(Environ(), func(s string) bool { return strings.HasPrefix(s, "PATH=") }) {
		t.Error("a child does not know where programs are")
	}
}
