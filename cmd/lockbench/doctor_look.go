package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"

	"github.com/lockbench/lockbench/docker"
	"github.com/lockbench/lockbench/internal/cluster"
)

// program looks for a command and asks for its version.
func program(name, use, advice, ask string) finding {
	f := finding{Name: name, For: use, Advice: advice, Found: "not found"}
	path, err := exec.LookPath(name)
	if err != nil {
		return f
	}
	out, err := exec.Command(path, ask).Output()
	first, _, _ := strings.Cut(string(out), "\n")
	if err != nil {
		f.Found = fmt.Sprintf("%s does not run: %v", path, err)
		return f
	}
	f.OK, f.Found, f.Advice = true, first, ""
	return f
}

// sentinel is the same program as redis-server in another mode, which every version has that
// lockbench knows.
func sentinel(redis finding) finding {
	f := finding{Name: "sentinel", For: "fault failover-sentinel in the environment process",
		OK:    redis.OK,
		Found: redis.Found, Advice: redis.Advice}
	if f.OK {
		f.Found = "redis-server is it, too"
	}
	return f
}

// clockShim builds the shim, as the first run that needs it would.
func clockShim() finding {
	f := finding{Name: "clock shim",
		For: "fault clock-server in the environment process, and in containers of an image without a shim"}
	lib, err := cluster.Shim()
	switch {
	case err != nil && cluster.ClockMeans() == nil:
		f.OK, f.Found = true, "no compiler; libfaketime moves the clocks of processes instead"
		return f
	case err != nil:
		f.Found, f.Advice = err.Error(),
			"apt-get install gcc libc6-dev, or libfaketime for the environment process"
		return f
	}
	f.OK, f.Found = true, lib
	return f
}

func dockerDaemon(ctx context.Context) finding {
	f := finding{Name: "docker", For: "environment docker"}
	v, err := docker.Version(ctx)
	if err != nil {
		f.Found, f.Advice = halves(err)
		return f
	}
	f.OK, f.Found = true, "daemon "+v
	return f
}

// halves are what is wrong, and what to do about it.
func halves(err error) (wrong, advice string) {
	wrong, advice, _ = strings.Cut(err.Error(), ": ")
	return wrong, advice
}

func dockerImage(ctx context.Context, daemon finding) finding {
	f := finding{Name: "docker image", For: "environment docker, unless --redis-image names another"}
	if !daemon.OK {
		f.Found, f.Advice = "no daemon that could be asked", daemon.Advice
		return f
	}
	id, err := docker.ImageID(ctx, docker.DefaultImage)
	if err != nil {
		f.Found, f.Advice = halves(err)
		return f
	}
	f.OK, f.Found = true, docker.DefaultImage+" "+id
	return f
}

// cgroups are what containers are limited and paused by.
func cgroups() finding {
	f := finding{Name: "cgroups", For: "pausing containers",
		Advice: "mount -t cgroup2 cgroup2 /sys/fs/cgroup"}
	mounts, err := os.ReadFile("/proc/mounts")
	switch text := string(mounts); {
	case err != nil:
		f.Found, f.Advice = err.Error(), "they are Linux's; a daemon on another system has its own"
	case strings.Contains(text, "/freezer cgroup "):
		f.OK, f.Found, f.Advice = true, "version 1, with the freezer", ""
	case strings.Contains(text, " /sys/fs/cgroup cgroup2 "):
		f.OK, f.Found, f.Advice = true, "version 2", ""
	default:
		f.Found = "none are mounted that could freeze a process"
	}
	return f
}

// loopback looks whether a run can have addresses and ports of its own.
func loopback() finding {
	f := finding{Name: "ports", For: "environment process, and proxies"}
	for _, host := range []string{"127.0.0.1", "127.83.9.1"} {
		ln, err := net.Listen("tcp", host+":0")
		if err != nil {
			f.Found, f.Advice = err.Error(), "ip addr add 127.0.0.1/8 dev lo && ip link set lo up"
			return f
		}
		ln.Close()
	}
	f.OK, f.Found = true, "any of 127.0.0.0/8 can be listened on"
	return f
}

func temporaryFolder() finding {
	f := finding{Name: "temporary folder", For: "environment process", OK: true, Found: os.TempDir()}
	dir, err := os.MkdirTemp("", "lockbench-doctor-")
	if err != nil {
		f.OK, f.Found, f.Advice = false, err.Error(),
			"export TMPDIR=DIR with a folder that can be written"
	}
	os.RemoveAll(dir)
	return f
}
