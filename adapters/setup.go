package adapters

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/lockbench/lockbench/internal/base/proc"
)

// Installed is an adapter that is ready to start.
type Installed struct {
	Adapter
	cache string // its folder with src, sdk and the output of setup
}

// The parts of an adapter's folder in the cache.
const (
	srcName   = "src"
	readyName = "ready" // exists as soon as setup has succeeded
	logName   = "setup.log"
)

// Folder returns the folder that holds all adapters after their setup.
func Folder() string {
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	return filepath.Join(cache, "lockbench", "adapters")
}

// MissingError reports that programs of a toolchain are not installed.
type MissingError struct {
	Adapter  string
	Programs []string
}

func (e MissingError) Error() string {
	return fmt.Sprintf("the adapter %s needs %s, which this machine does not have", e.Adapter,
		strings.Join(e.Programs, " and "))
}

// Missing returns an error that lists the programs that the adapter needs and this machine lacks,
// or nil.
func (a Adapter) Missing() error {
	e := MissingError{Adapter: a.Name}
	for _, p := range a.Needs {
		if _, err := exec.LookPath(p); err != nil {
			e.Programs = append(e.Programs, p)
		}
	}
	if e.Programs == nil && a.makesVenv() && !hasVenv() {
		e.Programs = []string{venvPackage}
	}
	if e.Programs == nil {
		return nil
	}
	return e
}

// venvPackage is a package of Debian and Ubuntu. Without it, python3 cannot make a virtual
// environment.
const venvPackage = "python3-venv"

var hasVenv = sync.OnceValue(func() bool {
	return exec.Command("python3", "-c", "import ensurepip").Run() == nil
})

// makesVenv reports whether a command of the setup creates a virtual environment of Python.
func (a Adapter) makesVenv() bool {
	return slices.ContainsFunc(a.Setup, func(command []string) bool {
		return slices.Contains(command, "python3") && slices.Contains(command, "venv")
	})
}

// IsSetUp reports whether the adapter is set up already.
func (a Adapter) IsSetUp() bool {
	_, err := os.Stat(filepath.Join(a.folder(), readyName))
	return err == nil
}

// folder returns the adapter's folder in the cache. Other content of its files has another folder.
func (a Adapter) folder() string { return filepath.Join(Folder(), a.Name+"-"+a.Hash) }

// Setup makes an adapter ready to start, once for each content of its files. If several processes
// do this at once, one works and the others wait. The output of the commands goes to a log, and
// errors name the log.
func Setup(ctx context.Context, a Adapter) (Installed, error) {
	in := Installed{a, a.folder()}
	if err := a.Missing(); err != nil {
		return in, err
	}
	if a.IsSetUp() {
		now := time.Now()
		_ = os.Chtimes(filepath.Join(in.cache, readyName), now, now) // only to keep the folder for longer
		return in, nil
	}
	if err := os.MkdirAll(in.cache, 0o755); err != nil {
		return in, err
	}
	unlock, err := lock(ctx, in.cache)
	if err != nil {
		return in, fmt.Errorf("adapter %s: %w", a.Name, err)
	}
	defer unlock()
	if a.IsSetUp() {
		return in, nil // another process has done it
	}
	if err := in.install(ctx); err != nil {
		hint := ""
		if a.Other {
			hint = fmt.Sprintf("; is there a version %s of %s, and has it what the adapter uses?", a.Version,
				a.Library)
		}
		return in, fmt.Errorf("adapter %s could not be set up: %w%s", a.Name, err, hint)
	}
	in.removeOld(time.Now().Add(-unused))
	return in, nil
}

// unused is the age at which the cache drops an adapter's folder with other content.
const unused = 30 * 24 * time.Hour

// removeOld removes from the cache the same adapter's folders with other content that were not used
// since. It ignores folders that it cannot remove; the next setup tries again.
func (in Installed) removeOld(since time.Time) {
	all, err := os.ReadDir(Folder())
	if err != nil {
		return
	}
	for _, d := range all {
		hash, mine := strings.CutPrefix(d.Name(), in.Name+"-")
		if !mine || len(hash) != len(in.Hash) || strings.Contains(hash, "-") || hash == in.Hash {
			continue
		}
		dir := filepath.Join(Folder(), d.Name())
		info, err := os.Stat(filepath.Join(dir, readyName))
		if err != nil { // a setup that was interrupted, or is running
			info, err = d.Info()
		}
		if err == nil && info.ModTime().Before(since) {
			_ = os.RemoveAll(dir)
		}
	}
}

// lock waits for the lock of a folder.
func lock(ctx context.Context, dir string) (unlock func(), err error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	for {
		switch err := proc.Lock(f); {
		case err == nil:
			return func() { f.Close() }, nil
		case !errors.Is(err, proc.ErrLocked):
			f.Close()
			return nil, err
		}
		select {
		case <-ctx.Done():
			f.Close()
			return nil, context.Cause(ctx)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// install writes the sources and carries out the commands of setup.
func (in Installed) install(ctx context.Context) error {
	rest, err := os.ReadDir(in.cache) // from an interrupted setup
	if err != nil {
		return err
	}
	for _, f := range rest {
		if err := os.RemoveAll(filepath.Join(in.cache, f.Name())); err != nil {
			return err
		}
	}
	if err := write(in.sources, filepath.Join(in.cache, srcName)); err != nil {
		return err
	}
	if err := write(in.toolkit, filepath.Join(in.cache, sdkName)); err != nil {
		return err
	}
	log, err := os.Create(filepath.Join(in.cache, logName))
	if err != nil {
		return err
	}
	defer log.Close()
	clock, err := in.movable(ctx)
	if err != nil {
		return err
	}
	for _, words := range in.Manifest.Setup {
		if err := in.perform(ctx, words, clock, log); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(in.cache, readyName), []byte(in.Version+"\n"), 0o644)
}

// write copies the files that all passes to its function.
func write(all func(func(name string, content []byte) error) error, to string) error {
	return all(func(name string, content []byte) error {
		file := filepath.Join(to, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		mode := fs.FileMode(0o644)
		if bytes.HasPrefix(content, []byte("#!")) {
			mode = 0o755
		}
		return os.WriteFile(file, content, mode)
	})
}

// setupTimeout bounds one command of a setup. A first build downloads everything.
const setupTimeout = 15 * time.Minute

// perform carries out a command of setup. When ctx ends, the command and its children end. Clock is
// one more setting of its environment, or "".
func (in Installed) perform(ctx context.Context, words []string, clock string,
	log *os.File) error {
	c := in.command(words)
	if c.Env = append(c.Env, proc.ToolSettings()...); clock != "" {
		c.Env = append(c.Env, clock)
	}
	c.Stdout, c.Stderr = log, log
	fmt.Fprintln(log, "$", strings.Join(c.Args, " "))
	mark := proc.Mark(c)
	defer proc.EndMarked(mark)
	if err := proc.Start(c); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, setupTimeout)
	defer cancel()
	stop := context.AfterFunc(ctx, func() { _ = proc.KillGroup(c.Process.Pid) })
	defer stop()
	err := c.Wait()
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		return fmt.Errorf("`%s`: %w%s; see %s", strings.Join(words, " "), err,
			lineOf(log.Name(), in.Version), log.Name())
	}
	return nil
}

// lineOf returns the line of a log that says most about an error, in parentheses: npm's reason, or
// the first that starts with the word, otherwise the last. If the registry lacks the version, the
// line lists the nearest versions. It returns "" if the log is empty.
func lineOf(log, version string) string {
	text, err := os.ReadFile(log)
	if err != nil {
		return ""
	}
	if reason := npmReason.FindSubmatch(text); reason != nil {
		return fmt.Sprintf(" (npm: %.300s)", reason[1])
	}
	last := ""
	for line := range strings.Lines(colours.ReplaceAllString(string(text), "")) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "$ ") && !strings.HasPrefix(line, "[notice]") {
			last = line
		}
		if strings.HasPrefix(strings.ToLower(strings.TrimLeft(line, "[")), "error") {
			break
		}
	}
	if last == "" {
		return ""
	}
	return fmt.Sprintf(" (%.300s)", nearest(last, version))
}

// npmReason matches npm's line about a version that does not exist, or that needs another version
// of a package than the one that is there.
var npmReason = regexp.MustCompile(`(?m)^npm (?:error|ERR!) (?:notarget |404 )?\s*` +
	`(No matching version found for .+|peer(?:Optional)? .+ from .+|.+ is not in this registry.*)$`)

// colours matches the codes by which programs colour their output.
var colours = regexp.MustCompile("\x1b\\[[0-9;]*m")

// Command returns the command that starts the adapter. It has only the cleaned environment and the
// adapter's own settings.
func (in Installed) Command() *exec.Cmd { return in.command(in.Run) }

func (in Installed) command(words []string) *exec.Cmd {
	all := make([]string, len(words))
	for i, w := range words {
		all[i] = in.filled(w)
	}
	c := exec.Command(all[0], all[1:]...)
	c.Dir = filepath.Join(in.cache, srcName)
	c.Env = proc.Environ()
	for name, value := range in.Env {
		c.Env = append(c.Env, name+"="+in.filled(value))
	}
	return c
}

// filled replaces {src}, {cache} and {sdk} by the folders.
func (in Installed) filled(s string) string {
	return strings.NewReplacer("{src}", filepath.Join(in.cache, srcName), "{cache}", in.cache,
		"{sdk}", filepath.Join(in.cache, sdkName)).Replace(s)
}
