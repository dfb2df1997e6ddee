package adapters_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lockbench/lockbench/adapters"
	"github.com/lockbench/lockbench/internal/env/cluster/clock"
	"github.com/lockbench/lockbench/internal/run/store"
)

// TestEveryAdapterIsRead reads the manifests of lockbench's own adapters.
func TestEveryAdapterIsRead(t *testing.T) {
	if len(adapters.All()) == 0 {
		t.Fatal("there are no adapters")
	}
	for _, a := range adapters.All() {
		if a.Line == "" || a.Version == "" || a.Document == "" || len(a.Variants) == 0 {
			t.Errorf("%s: line, version, document or variants are missing", a.Name)
		}
		if b, err := adapters.Find(a.Name); err != nil || b.Hash != a.Hash {
			t.Errorf("%s is not found: %v", a.Name, err)
		}
		for _, v := range a.Variants {
			if u, err := a.Use(v.Name); err != nil || u.Variant != v.Name {
				t.Errorf("%s, variant %s: %+v, %v", a.Name, v.Name, u, err)
			}
		}
	}
}

// folder makes the folder of an adapter: files by their names.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestManifestsAreRefusedInOneLine gives the words that must say what is wrong.
func TestManifestsAreRefusedInOneLine(t *testing.T) {
	for text, says := range map[string]string{
		"":                                     "the file is empty",
		"name: mine":                           "run is missing",
		"name: My Lock\nrun: [x]":              "name is \"My Lock\"",
		"name: mine\nruns: [x]":                `unknown field "runs"; did you mean "run"?`,
		"name: a\nrun: x\ntopology: two":       `topology is "two"; it may be single, independent`,
		"name: a\nrun: x\nclock: sun":          `clock is "sun"; it may be shim, overlay, none`,
		"name: a\nrun: x\ntells: [all]":        `tells is "all"`,
		"name: a\nrun: x\nkey: k":              "it must contain {key}",
		"name: a\nrun: x\nsources: [../b]":     `sources has "../b"`,
		"name: a\nrun: x\nsources: [b]":        "sources: stat b: no such file",
		"name: a\nrun: x\nsetup: [[]]":         "setup has an empty command",
		"name: a\nrun: x\ndefaults: {ttl: 0s}": `is not a time above zero, such as 90s, nor "none" or "given"`,
		"name: a\nrun: x\nvariants: [{name: b, declares: {leas: true}}]": `unknown field "leas"`,
		"name: a\nrun: x\nvariants: [{line: b}]":                         `variant 1 has the name ""`,
		"name: a\nrun: x\nvariants: [{name: b}, {name: b}]":              `two variants have the name "b"`,
	} {
		_, err := adapters.Find(folder(t, map[string]string{adapters.ManifestName: text}))
		if err == nil || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: the error is %v; it must say %q", text, err, says)
		}
	}
}

func TestFindSaysWhatIsWrong(t *testing.T) {
	for name, says := range map[string]string{
		"redispy":        `unknown adapter "redispy" (did you mean "redis-py"?)`,
		"nothing-at-all": "`lockbench list adapters` shows all",
		"./nowhere":      "nowhere/adapter.yaml is missing",
	} {
		if _, err := adapters.Find(name); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: the error is %v; it must say %q", name, err, says)
		}
	}
}

// TestSetupIsDoneOnceForAContent counts how often the command of a setup ran.
func TestSetupIsDoneOnceForAContent(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	count := filepath.Join(t.TempDir(), "count")
	files := map[string]string{
		adapters.ManifestName: "name: mine\nrun: [\"{src}/a\"]\nneeds: [sh]\n" +
			"setup: [[sh, -c, \"cat source >> " + count + "\"]]\n",
		"source": "x",
	}
	dir := folder(t, files)
	setUp := func() error {
		a, err := adapters.Find(dir)
		if err != nil {
			return err
		}
		in, err := adapters.Setup(context.Background(), a)
		if err == nil && !strings.HasSuffix(in.Command().Path, "src/a") {
			t.Errorf("it is started with %q", in.Command().Args)
		}
		return err
	}
	wait := make(chan error)
	for range 3 {
		go func() { wait <- setUp() }()
	}
	for range 3 {
		if err := <-wait; err != nil {
			t.Fatal(err)
		}
	}
	if text, _ := os.ReadFile(count); string(text) != "x" {
		t.Errorf("three at once did %q, not x", text)
	}
	if err := os.WriteFile(filepath.Join(dir, "source"), []byte("y"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := setUp(); err != nil {
		t.Fatal(err)
	}
	if text, _ := os.ReadFile(count); string(text) != "xy" {
		t.Errorf("after a change it did %q, not xy", text)
	}
}

// TestWhatIsASource puts files beside the lock: those that are no sources make no other adapter.
func TestWhatIsASource(t *testing.T) {
	for _, c := range []struct {
		sources, file string
		another       bool
	}{
		{"", "mylock/lock.go", true},
		{"", "store/lock.go", true}, // a package of a user's may be called so
		{"", "store/my-lock-none/" + time.Now().UTC().Format(store.TimeLayout) + "/plan.json", false},
		{"", "lockbench.yaml", false},
		{"", ".git/index", false},
		{"sources: [mylock, tool/adapter.go]\n", "mylock/deep/lock.go", true},
		{"sources: [mylock, tool/adapter.go]\n", "tool/adapter.go", true},
		{"sources: [mylock, tool/adapter.go]\n", "tool/other.go", false},
		{"sources: [mylock, tool/adapter.go]\n", "mylock2/lock.go", false},
	} {
		dir := folder(t, map[string]string{adapters.ManifestName: "name: a\nrun: x\n" + c.sources})
		for _, name := range []string{"mylock/a.go", "tool/adapter.go"} {
			put(t, filepath.Join(dir, name), "before")
		}
		before, err := adapters.Find(dir)
		if err != nil {
			t.Fatal(err)
		}
		put(t, filepath.Join(dir, c.file), "after")
		after, err := adapters.Find(dir)
		if another := before.Hash != after.Hash; err != nil || another != c.another {
			t.Errorf("%s%s makes another adapter: %v, %v", c.sources, c.file, another, err)
		}
	}
}

// put writes a file and the folders that it lies in.
func put(t *testing.T, name, text string) {
	t.Helper()
	err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), 0o644))
	if err != nil {
		t.Fatal(err)
	}
}

// TestAnAdapterHasTheSDKsThatItNames: an adapter whose manifest names no SDK gets the first five.
func TestAnAdapterHasTheSDKsThatItNames(t *testing.T) {
	for manifest, want := range map[string]string{
		"run: [x]": "go java node python rust",
		"run: [\"{sdk}/ruby\"]\nenv: {X: \"a:{sdk}/php\"}":      "go java node php python ruby rust",
		"run: [x]\nsetup: [[cat, \"{sdk}/php/lockbench.php\"]]": "go java node php python rust",
	} {
		t.Setenv("XDG_CACHE_HOME", t.TempDir())
		files := map[string]string{adapters.ManifestName: "name: mine\n" + manifest}
		a, err := adapters.Find(folder(t, files))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := adapters.Setup(t.Context(), a); err != nil {
			t.Fatal(err)
		}
		found, err := filepath.Glob(filepath.Join(adapters.Folder(), "mine-*", "sdk", "*"))
		if err != nil {
			t.Fatal(err)
		}
		for i, f := range found {
			found[i] = filepath.Base(f)
		}
		if got := strings.Join(found, " "); got != want {
			t.Errorf("%q has the SDKs %s, and must have %s", manifest, got, want)
		}
	}
}

// TestOldContentsAreRemoved from the cache when nothing has used them for a month, and no others.
func TestOldContentsAreRemoved(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	dir := folder(t, map[string]string{adapters.ManifestName: "name: mine\nrun: x\n"})
	setUp := func(source string) (cache string) {
		if err := os.WriteFile(filepath.Join(dir, "source"), []byte(source), 0o644); err != nil {
			t.Fatal(err)
		}
		a, err := adapters.Find(dir)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := adapters.Setup(t.Context(), a); err != nil {
			t.Fatal(err)
		}
		return filepath.Join(adapters.Folder(), "mine-"+a.Hash)
	}
	age := func(cache string) {
		then := time.Now().Add(-40 * 24 * time.Hour)
		if err := os.Chtimes(filepath.Join(cache, "ready"), then, then); err != nil {
			t.Fatal(err)
		}
	}
	old, used := setUp("1"), setUp("2")
	other := filepath.Join(adapters.Folder(), "mine-too-0123456789abcdef")
	if err := os.MkdirAll(other, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(other, "ready"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	age(old)
	age(used)
	age(other)
	setUp("2") // used again
	setUp("3")
	for cache, there := range map[string]bool{old: false, used: true, other: true} {
		if _, err := os.Stat(cache); (err == nil) != there {
			t.Errorf("%s: %v", filepath.Base(cache), err)
		}
	}
}

// TestSetupThatFails wants one line with the command, what it said and its log, and another try
// the next time.
func TestSetupThatFails(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	a, err := adapters.Find(folder(t, map[string]string{adapters.ManifestName: "name: mine\n" +
		"run: x\nsetup: [[sh, -c, \"echo no such package >&2; exit 3\"]]\n"}))
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		_, err = adapters.Setup(context.Background(), a)
		if err == nil || strings.Contains(err.Error(), "\n") || a.IsSetUp() {
			t.Fatalf("the error is %v, set up: %v", err, a.IsSetUp())
		}
		for _, says := range []string{"adapter mine", "exit status 3", "no such package", "setup.log"} {
			if !strings.Contains(err.Error(), says) {
				t.Errorf("the error is %v; it must say %q", err, says)
			}
		}
	}
}

func TestMissingPrograms(t *testing.T) {
	a, err := adapters.Find(folder(t, map[string]string{adapters.ManifestName: "name: mine\n" +
		"run: x\nneeds: [sh, no-such-program]\n"}))
	if err != nil {
		t.Fatal(err)
	}
	var missing adapters.MissingError
	if _, err := adapters.Setup(context.Background(), a); !errors.As(err, &missing) ||
		err.Error() != "the adapter mine needs no-such-program, which this machine does not have" {
		t.Error(err)
	}
}

// TestTheToolchainsAreNamed wants `make test` to say of each toolchain that it is missing.
func TestTheToolchainsAreNamed(t *testing.T) {
	script, err := os.ReadFile("../.ci/missing")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(script), "\nparts=\"")
	parts, _, _ := strings.Cut(rest, "\"")
	for _, a := range adapters.All() {
		for _, need := range a.Needs {
			if need != "go" && !slices.Contains(strings.Fields(parts), need) {
				t.Errorf("%s needs %s, which parts in .ci/missing does not name", a.Name, need)
			}
		}
	}
}

// TestTheClockOfAProgramInGoIsMoved builds a program as a setup does, and moves its wall clock,
// forth and back, while it runs. Its monotonic clock goes on.
func TestTheClockOfAProgramInGoIsMoved(t *testing.T) {
	cache, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOCACHE", strings.TrimSpace(string(cache))) // package time is built there once
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	a, err := adapters.Find(folder(t, map[string]string{adapters.ManifestName: "name: mine\n" +
		"clock: overlay\nrun: [\"{cache}/clock\"]\n" +
		"setup: [[go, build, -o, \"{cache}/clock\", clock.go]]\n", "clock.go": `package main

import (
	"fmt"
	"time"
)

func main() {
	for begin := time.Now(); ; {
		var line string
		if _, err := fmt.Scanln(&line); err != nil {
			return
		}
		fmt.Println(time.Now().UnixNano(), int64(time.Since(begin)))
	}
}
`}))
	if err != nil {
		t.Fatal(err)
	}
	in, err := adapters.Setup(t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
	file, err := clock.New(t.TempDir(), "c0")
	if err != nil {
		t.Fatal(err)
	}
	c := in.Command()
	c.Env = append(c.Env, file.Built()...)
	stdin, _ := c.StdinPipe()
	stdout, err := c.StdoutPipe()
	if err = errors.Join(err, c.Start()); err != nil {
		t.Fatal(err)
	}
	for _, offset := range []time.Duration{0, time.Hour, -90*time.Minute - time.Nanosecond, 0} {
		if err := file.Set(offset); err != nil {
			t.Fatal(err)
		}
		before := time.Now()
		fmt.Fprintln(stdin, "now")
		var wall, since int64
		if _, err := fmt.Fscanln(stdout, &wall, &since); err != nil {
			t.Fatal(err)
		}
		earliest, latest := before.Add(offset).Round(0), time.Now().Add(offset).Round(0)
		if now := time.Unix(0, wall); now.Before(earliest) || now.After(latest) {
			t.Errorf("moved by %v it shows %v, and must show %v to %v", offset, now, earliest, latest)
		}
		if since < 0 || time.Duration(since) > 30*time.Minute {
			t.Errorf("moved by %v its monotonic clock has gone on by %v", offset, time.Duration(since))
		}
	}
	stdin.Close()
	if err := c.Wait(); err != nil {
		t.Error(err)
	}
}

// TestAnOptionIsAValueOfJSON checks that words which JSON does not know as numbers become strings.
func TestAnOptionIsAValueOfJSON(t *testing.T) {
	for text, want := range map[string]string{"nan": `"nan"`, "inf": `"inf"`, "-Infinity": `"-Infinity"`,
		"1.5": "1.5", "7": "7", "true": "true", "x": `"x"`} {
		var o adapters.Option
		if err := o.UnmarshalText([]byte(text)); err != nil {
			t.Fatal(err)
		}
		if got, err := o.MarshalJSON(); err != nil || string(got) != want {
			t.Errorf("%s is %s, %v", text, got, err)
		}
	}
}

// TestLocksWithOneHashKeepTheirSettings: all locks that are linked into a program have one hash.
func TestLocksWithOneHashKeepTheirSettings(t *testing.T) {
	all := adapters.All()
	a, b := adapters.Adapter{Manifest: all[0].Manifest, Hash: "linked"},
		adapters.Adapter{Manifest: all[0].Manifest, Hash: "linked"}
	b.Declares.Loss = !a.Declares.Loss
	first, err := a.Use("")
	if err != nil {
		t.Fatal(err)
	}
	if second, err := b.Use(""); err != nil || second.Declares.Loss == first.Declares.Loss {
		t.Errorf("the second lock has the settings of the first (%v)", err)
	}
}
