package server

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/lockbench/lockbench/internal/base/proc"
	"github.com/lockbench/lockbench/internal/env/cluster/clock"
	"github.com/lockbench/lockbench/internal/env/cluster/memory"
)

// errNoFaketime says that libfaketime is not installed.
var errNoFaketime = errors.New("it is not installed: `apt-get install libfaketime`")

// faketimePlaces are where distributions put libfaketime, each with a libc of the same kind.
var faketimePlaces = [][2]string{
	{"/usr/lib/*/faketime/libfaketime.so.1", "/lib/*/libc.so.6"},
	{"/usr/lib64/faketime/libfaketime.so.1", "/lib64/libc.so.6"},
	{"/usr/lib/faketime/libfaketime.so.1", "/usr/lib/libc.so.6"},
}

// faketime returns the value of LD_PRELOAD for libfaketime after it has tried it with a server.
// With Debian's redis-server and its jemalloc, libfaketime alone spins at start for ever. With the
// C library before libfaketime, the allocator of the C library wins (docs/running.md, libfaketime
// and jemalloc).
var faketime = sync.OnceValues(func() (preload string, err error) {
	for _, place := range faketimePlaces {
		libs, _ := filepath.Glob(place[0])
		for _, lib := range libs {
			libc := strings.Replace(place[1], "*", filepath.Base(filepath.Dir(filepath.Dir(lib))), 1)
			if _, err := os.Stat(libc); err == nil {
				preload = lib + " " + libc
				return preload, tryFaketime(preload)
			}
		}
	}
	return "", errNoFaketime
})

// faketimeEnvironment makes a server read its wall clock through libfaketime, and its monotonic
// clock not. NO_CACHE makes it read the file each time, so that a jump is seen at once.
func faketimeEnvironment(preload, path string) []string {
	return []string{"LD_PRELOAD=" + preload, "FAKETIME_TIMESTAMP_FILE=" + path, "FAKETIME_NO_CACHE=1",
		"FAKETIME_DONT_FAKE_MONOTONIC=1"}
}

// faketimeStart is how long a server may take to start with libfaketime.
const faketimeStart = time.Second

// tryFaketime starts a server with libfaketime and kills it. Whether its clock moves is tried with
// each server of a run.
func tryFaketime(preload string) error {
	folder, err := Scratch()
	if err != nil {
		return err
	}
	defer folder.Close()
	dir := folder.Path
	bin, err := exec.LookPath("redis-server")
	if err != nil {
		return ErrNoRedis
	}
	c := NodeConfig{Name: "probe", Dir: dir, Log: filepath.Join(dir, "probe.log"),
		Clock: &clock.Server{
			Path: filepath.Join(dir, "probe.clock"), Faketime: true}}
	if err := c.Clock.Set(0); err != nil {
		return err
	}
	life, err := NewLife(c)
	if err != nil {
		return err
	}
	life.Patience = faketimeStart
	p := &process{Life: life, cmd: exec.Command(bin, "--port", "0", "--unixsocket",
		filepath.Join(dir, "s"), "--dir", dir, "--save", "")}
	p.cmd.Env = append(proc.Environ(), faketimeEnvironment(preload, c.Clock.Path)...)
	if err := p.run(); err != nil {
		return err
	}
	defer p.Kill()
	if err := p.Ready(); err != nil {
		return fmt.Errorf("redis-server does not start with LD_PRELOAD=%q", preload)
	}
	return nil
}

// pidSuffix ends the names of files where a run records servers that use libfaketime.
const pidSuffix = ".faketime-pid"

// remember notes a server that uses libfaketime: each of its processes leaves files in shared
// memory behind when it is killed.
func (p *process) remember() {
	if p.Clock != nil && p.Clock.Faketime {
		// without it files of some bytes may be left
		_ = os.WriteFile(p.Clock.Path+pidSuffix, []byte(strconv.Itoa(p.cmd.Process.Pid)), 0o644)
	}
}

// tidy removes what a killed server has left in memory that it shared.
func (p *process) tidy() {
	memory.Forget(p.Dir)
	if p.Clock != nil && p.Clock.Faketime {
		forgetFaketime(strconv.Itoa(p.cmd.Process.Pid))
	}
}

func forgetFaketime(pid string) {
	for _, name := range []string{"faketime_shm_", "sem.faketime_sem_"} {
		_ = os.Remove("/dev/shm/" + name + pid) // if it is there
	}
}

// sweepFaketime does it for a run that was killed.
func sweepFaketime(dir string) {
	files, _ := filepath.Glob(filepath.Join(dir, "*"+pidSuffix))
	for _, f := range files {
		if pid, err := os.ReadFile(f); err == nil {
			forgetFaketime(filepath.Base(string(pid)))
		}
	}
}

// wind makes a process of this machine read its clock through the file: by the shim where there is
// a compiler, else by libfaketime.
func wind(c *clock.Server) (env []string, err error) {
	lib, err := clock.Shim()
	if err == nil {
		return c.Environment(lib), nil
	}
	preload, other := faketime()
	if other != nil {
		return nil, fmt.Errorf("%w; or libfaketime: %w", err, other)
	}
	c.Faketime = true
	return faketimeEnvironment(preload, c.Path), c.Set(0)
}

// ClockMeans returns nil if lockbench can move the clock of a redis-server that is a process of
// this machine, or the reason why it cannot.
func ClockMeans() error {
	_, err := clock.Shim()
	if err == nil {
		return nil
	}
	if _, other := faketime(); other != nil {
		return fmt.Errorf("%w; or libfaketime: %w", err, other)
	}
	return nil
}
