package runner

import (
	"runtime/debug"
	"testing"
)

// TestBuildsAreToldApart: whatever a program was built from, another program has another version.
func TestBuildsAreToldApart(t *testing.T) {
	commit := func(dirty string) []debug.BuildSetting {
		return []debug.BuildSetting{{Key: "vcs.revision", Value: "0123456789abcdef0123"},
			{Key: "vcs.modified", Value: dirty}}
	}
	for name, c := range map[string]struct {
		info debug.BuildInfo
		want string
	}{
		"a release":  {debug.BuildInfo{Main: debug.Module{Version: "v1.2.3"}}, "v1.2.3"},
		"a checkout": {debug.BuildInfo{Settings: commit("false")}, "commit-0123456789ab"},
		"with changes": {debug.BuildInfo{Main: debug.Module{Version: "v0.0.0-2026+dirty"},
			Settings: commit("true")}, "commit-0123456789ab-changed-feedfeedfeed"},
		"no checkout": {debug.BuildInfo{Main: debug.Module{Version: "(devel)"}}, "devel-feedfeedfeed"},
	} {
		if b := buildOf(&c.info, func() string { return "feedfeedfeedfeed" }); b.Version != c.want {
			t.Errorf("%s: %q, want %q", name, b.Version, c.want)
		}
	}
	if len(digest()) != 64 {
		t.Errorf("this program's digest is %q", digest())
	}
}
