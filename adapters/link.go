package adapters

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/internal/base/proc"
)

// The modules of lockbench, and the package that an adapter becomes in a linked program.
const (
	lockbench = "github.com/lockbench/lockbench"
	sdkModule = lockbench + "/adapters/sdk/go"
	linkedAs  = "linked.invalid/adapter"
)

// module returns the folder where the setup builds a Go program, by adapter.yaml.
func (a Adapter) module() (string, error) {
	for _, words := range a.Manifest.Setup {
		if k := slices.Index(words, "-C"); len(words) > 1 && words[0] == "go" && words[1] == "build" &&
			k > 0 && k+1 < len(words) {
			return words[k+1], nil
		}
	}
	return "", errors.New("its setup has no command `go build -C FOLDER`")
}

// Link builds lockbench with the adapter's lock in it, and returns the file of that program. The
// adapter then needs no process of its own. Link does not build an unchanged program again.
func (in Installed) Link(ctx context.Context) (program string, err error) {
	source, err := sources(ctx)
	if err != nil {
		return "", err
	}
	module, err := in.module()
	if err != nil {
		return "", err
	}
	unlock, err := lock(ctx, in.cache)
	if err != nil {
		return "", err
	}
	defer unlock()
	l := linking{ctx: ctx, dir: filepath.Join(in.cache, "linked"), source: source,
		module: in.filled(module), replace: map[string]string{}}
	if err := os.MkdirAll(l.dir, 0o755); err != nil {
		return "", err
	}
	program = filepath.Join(l.dir, "lockbench")
	if err := l.build(in.Hash, program); err != nil {
		return "", fmt.Errorf("lockbench could not be built with the adapter %s: %w", in.Name, err)
	}
	return program, nil
}

// Checkout is the folder of this program's sources. The linker sets it (`make build`). If it is
// empty, the paths that the compiler noted tell the folder, unless they are trimmed.
var Checkout string

// sources returns the folder of lockbench's own sources: the sources of this program, or the
// version that the module in the working directory requires.
func sources(ctx context.Context) (string, error) {
	_, file, _, _ := runtime.Caller(0)
	for _, dir := range []string{Checkout, filepath.Dir(filepath.Dir(file))} {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); filepath.IsAbs(dir) && err == nil {
			return dir, nil
		}
	}
	list := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", lockbench)
	list.Env = slices.Concat(proc.Environ(), proc.ToolSettings())
	if out, err := list.Output(); err == nil && strings.TrimSpace(string(out)) != "" {
		return strings.TrimSpace(string(out)), nil
	}
	return "", fmt.Errorf("explore builds a lockbench with the adapter in it, and Go needs "+
		"lockbench's sources for that: run it in a checkout of lockbench, or in a module that "+
		"requires %s", lockbench)
}

// linking is the build of one program. It changes neither lockbench's files nor the adapter's.
// Instead it tells the go command to read other files.
type linking struct {
	ctx                 context.Context
	dir, source, module string
	replace             map[string]string // file by file
	env                 []string          // of the go command, in addition to this program's
}

func (l linking) build(hash, program string) error {
	if err := errors.Join(l.requirements(), l.packages()); err != nil {
		return err
	}
	imports := fmt.Sprintf("import (\n\tadapter %q\n\t%q\n)", linkedAs,
		lockbench+"/internal/foreign/linked/bridge")
	err := l.instead(filepath.Join(l.source, "cmd", "lockbench", "linked.go"), fmt.Sprintf(
		"package main\n\n%s\n\nfunc init() { bridge.Link(%q, adapter.Main) }\n", imports, hash))
	if err != nil {
		return err
	}
	list, err := json.Marshal(map[string]any{"Replace": l.replace})
	if err != nil {
		return err
	}
	overlay := filepath.Join(l.dir, "overlay.json")
	if err := os.WriteFile(overlay, list, 0o644); err != nil {
		return err
	}
	work := filepath.Join(l.dir, "go.work")
	if err := os.Remove(work); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if err := l.goes(work, "work", "init", l.source, l.module); err != nil {
		return err
	}
	flags, env := asThis()
	l.env = env
	// a program that is marked as a test may set the random numbers of the process
	words := append([]string{"build", "-C", l.source, "-mod=readonly", "-buildvcs=false", "-overlay",
		overlay, "-ldflags", "-s -w -X testing.testBinary=1 -X '" + lockbench + "/adapters.Checkout=" +
			l.source + "'", "-o", program}, flags...)
	return l.goes(work, append(words, "./cmd/lockbench")...)
}

// asThis returns the build settings of this program: flags of the go command, and variables that
// its environment lacks. With the same settings, packages need not be compiled again for a program
// with an adapter.
func asThis() (flags, env []string) {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return nil, nil
	}
	for _, s := range info.Settings {
		_, said := os.LookupEnv(s.Key)
		switch {
		case s.Key == "-trimpath" && s.Value == "true":
			flags = append(flags, s.Key)
		case s.Key == "CGO_ENABLED" && !said: // an adapter that needs C is built with CGO_ENABLED=1
			env = append(env, s.Key+"="+s.Value)
		}
	}
	return flags, env
}

// requirements makes the adapter's module use lockbench's own SDK.
func (l linking) requirements() error {
	text, err := os.ReadFile(filepath.Join(l.module, "go.mod"))
	if err != nil {
		return err
	}
	if err := l.instead(filepath.Join(l.module, "go.mod"), string(text)); err != nil {
		return err
	}
	return l.goes("off", "mod", "edit", "-module", linkedAs, "-droprequire", sdkModule, "-dropreplace",
		sdkModule, l.replace[filepath.Join(l.module, "go.mod")])
}

// packages turns the adapter's program into a package that has its main function.
func (l linking) packages() error {
	files, err := filepath.Glob(filepath.Join(l.module, "*.go"))
	if err != nil {
		return err
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, file, text, parser.PackageClauseOnly)
		if err != nil {
			return err
		}
		begin, end := set.Position(f.Name.Pos()).Offset, set.Position(f.Name.End()).Offset
		if err := l.instead(file, string(text[:begin])+"adapter"+string(text[end:])); err != nil {
			return err
		}
	}
	return l.instead(filepath.Join(l.module, "linked.go"),
		"package adapter\n\n// Main is what the adapter's process does.\nfunc Main() { main() }\n")
}

// instead makes the go command read a text in place of a file. The file need not exist.
func (l linking) instead(file, text string) error {
	copied := filepath.Join(l.dir, fmt.Sprintf("%d-%s", len(l.replace), filepath.Base(file)))
	l.replace[file] = copied
	return os.WriteFile(copied, []byte(text), 0o644)
}

// goes runs a go command in a workspace.
func (l linking) goes(work string, words ...string) error {
	c := exec.CommandContext(l.ctx, "go", words...)
	c.Dir, c.Env = l.dir, slices.Concat(proc.Environ(), proc.ToolSettings(),
		[]string{"GOWORK=" + work, "GOFLAGS="}, l.env)
	out, err := c.CombinedOutput()
	if l.ctx.Err() != nil {
		return context.Cause(l.ctx)
	}
	if err != nil {
		return fmt.Errorf("`go %s`: %w\n%s", words[0], err, strings.TrimSpace(string(out)))
	}
	return nil
}
