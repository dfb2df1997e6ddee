package adapters

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func text(t *testing.T, a Adapter, name string) string {
	t.Helper()
	b, err := fs.ReadFile(a.files, name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestAnotherVersionOfALibraryIsAnAdapterOfItsOwn has an adapter of each registry.
func TestAnotherVersionOfALibraryIsAnAdapterOfItsOwn(t *testing.T) {
	for _, c := range []struct{ name, version, file, has, lacks, setup, gone string }{
		{"redis-py", "5.0.4", "requirements.txt", "redis==5.0.4", "sha256", "install --quiet -r",
			"--require-hashes"},
		{"node-redlock-5", "5.0.0-beta.1", "package.json", `"redlock": "5.0.0-beta.1"`, "beta.2",
			"npm install --legacy-peer-deps --prefix", "package-lock.json"},
		{"redisson", "3.50.0", "pom.xml", "<version>3.50.0</version>", "4.7.0", "mvn", "sha256sum"},
		{"shedlock", "6.10.0", "pom.xml", "<version>6.10.0</version>", "7.10.1", "mvn", "sha256sum"},
		{"rslock", "0.9.0", "Cargo.toml", `rslock = { version = "=0.9.0"`, "0.10.0", "cargo build",
			"--locked"},
		{"redsync", "4.13.0", "go.mod.txt", "redsync/v4 v4.13.0\n", "indirect", "-mod=mod",
			"-mod=readonly"},
	} {
		pinned, err := Find(c.name)
		if err != nil {
			t.Fatal(err)
		}
		before := text(t, pinned, c.file)
		a, err := Find(c.name + "@" + c.version)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if a.Name != c.name+"@"+c.version || a.Version != c.version || a.Hash == pinned.Hash ||
			a.folder() == pinned.folder() {
			t.Errorf("%s %s, hash %s, is not another adapter", a.Name, a.Version, a.Hash)
		}
		if got := text(t, a, c.file); !strings.Contains(got, c.has) || strings.Contains(got, c.lacks) {
			t.Errorf("%s: it must have %q, and not %q:\n%s", a.Name, c.has, c.lacks, got)
		}
		var setup []string
		for _, words := range a.Manifest.Setup {
			setup = append(setup, strings.Join(words, " "))
		}
		if all := strings.Join(setup, "\n"); !strings.Contains(all, c.setup) ||
			strings.Contains(all, c.gone) {
			t.Errorf("%s: its setup must have %q, and not %q:\n%s", a.Name, c.setup, c.gone, all)
		}
		again, _ := Find(c.name)
		if again.Hash != pinned.Hash || text(t, again, c.file) != before {
			t.Errorf("%s itself has changed", c.name)
		}
	}
}

// TestOneLineSaysWhyAVersionIsRefused has ranges, since they would change by themselves.
func TestOneLineSaysWhyAVersionIsRefused(t *testing.T) {
	for name, says := range map[string]string{
		"redis-pi@5.0.4":     `did you mean "redis-py"?`,
		"redis-py@latest":    `"latest" is not a version of redis; write it in full, such as redis-py@8.1.0`,
		"redis-py@":          `"" is not a version`,
		"redis-py@5.*":       `"5.*" is not a version`,
		"redis-py@5 -r x":    "is not a version",
		"node-redlock-5@5":   `"5" is not a version`,
		"rslock@0.9":         `"0.9" is not a version`,
		"redsync@v4.13.0":    `"v4.13.0" is not a version`,
		"posted-d002@2.10.0": "the adapter posted-d002 has only the version 2.9.1",
	} {
		_, err := Find(name)
		if err == nil || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: the error is %v; it must say %q", name, err, says)
		}
	}
	own, _ := Find("redis-py")
	if same, err := Find("redis-py@" + own.Version); err != nil || same.Name != "redis-py" {
		t.Errorf("its own version is the adapter itself: %s, %v", same.Name, err)
	}
}

// TestNpmSaysWhy: its last line names a log, and the reason stands in the middle.
func TestNpmSaysWhy(t *testing.T) {
	const end = "npm error A complete log of this run can be found in: x.log\n"
	for _, c := range []struct{ said, want string }{
		{"npm error code ERESOLVE\nnpm error\nnpm error Could not resolve dependency:\nnpm error " +
			"peerOptional ioredis@\"^4.1.0 || ^5\" from redis-semaphore@5.6.0\n" + end,
			` (npm: peerOptional ioredis@"^4.1.0 || ^5" from redis-semaphore@5.6.0)`},
		{"npm ERR! code ETARGET\nnpm ERR! notarget No matching version found for redlock@9.9.9.\n" +
			end, " (npm: No matching version found for redlock@9.9.9.)"},
		{"$ npm install\nError: no room\nbye\n", " (Error: no room)"},
	} {
		log := filepath.Join(t.TempDir(), "log")
		if err := os.WriteFile(log, []byte(c.said), 0o644); err != nil {
			t.Fatal(err)
		}
		if got := lineOf(log, "1.0.0"); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
}

// TestAMissingVersion: an error names the versions that are nearest, and not all of them.
func TestAMissingVersion(t *testing.T) {
	const said = "ERROR: Could not find a version that satisfies the requirement redis==%s (from " +
		"versions: %s)"
	for _, c := range []struct{ version, all, want string }{
		{"5.0.99", "2.10.6, 4.0.0, 5.0.6, 5.0.7, 5.0.8, 5.1.0b1, 5.1.0, 5.1.1, 5.2.0",
			"5.0.6, 5.0.7, 5.0.8, 5.1.0b1, 5.1.0, 5.1.1, …"},
		{"9.9", "1.0, 2.9, 2.10, 3.0", "2.9, 2.10, 3.0, …"},
		{"0.1", "1.0, 2.9", "1.0, 2.9"},
		{"0.1", "none", "none"},
	} {
		got := nearest(fmt.Sprintf(said, c.version, c.all), c.version)
		if want := fmt.Sprintf(said, c.version, c.want); got != want {
			t.Errorf("%s: %s, want %s", c.version, got, want)
		}
	}
	if got := nearest("another line", "1.0"); got != "another line" {
		t.Errorf("got %q", got)
	}
}
