package doctor

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strings"

	"github.com/lockbench/lockbench/docker"
	"github.com/lockbench/lockbench/internal/env/cluster/clock"
	"github.com/lockbench/lockbench/internal/env/cluster/server"
)

// program checks a command and its version.
func program(name, use, advice string) Finding {
	f := Finding{Name: name, For: use, Advice: advice}
	path, err := exec.LookPath(name)
	if err != nil {
		return f.with("", errNotFound)
	}
	out, err := exec.Command(path, "--version").Output()
	if err != nil {
		err = fmt.Errorf("%s does not run: %w", path, err)
	}
	first, _, _ := strings.Cut(string(out), "\n")
	return f.with(first, err)
}

var errNotFound = errors.New("not found")

// sentinel checks redis-sentinel. It is redis-server in another mode, and every supported version
// has it.
func sentinel(redis Finding) Finding {
	f := redis
	f.Name, f.For = "sentinel", "fault failover-sentinel in the environment process"
	if f.OK {
		f.Found = "redis-server is it, too"
	}
	return f
}

// clockShim builds the shim, as the first run with it would.
func clockShim() Finding {
	lib, err := clock.Shim()
	if err != nil && server.ClockMeans() == nil {
		lib, err = "no compiler; libfaketime moves the clocks of processes instead", nil
	}
	return Finding{Name: "clock shim",
		For:    "fault clock-server in the environment process, and in images without a shim",
		Advice: "apt-get install gcc libc6-dev, or libfaketime for the environment process",
	}.with(lib, err)
}

func dockerDaemon(ctx context.Context) Finding {
	v, err := docker.Version(ctx)
	return Finding{Name: "docker", For: "environment docker"}.with("daemon "+v, err)
}

// dockerImages checks the images of the containers, which a run uses unless --redis-image names
// another.
func dockerImages(ctx context.Context, daemon bool) (findings []Finding) {
	for _, i := range []struct{ name, image, use string }{
		{"docker image", docker.DefaultImage,
			"environment docker, unless --redis-image names another"},
		{"docker systems", docker.SystemsImage,
			"other systems than Redis in the environment docker"},
	} {
		id, err := docker.ImageID(ctx, i.image)
		if !daemon {
			err = errors.New("no daemon that could be asked")
		}
		findings = append(findings, Finding{Name: i.name, For: i.use}.with(i.image+" "+id, err))
	}
	return findings
}

// cgroups checks that containers can be limited and paused.
func cgroups() Finding {
	f := Finding{Name: "cgroups", For: "pausing containers",
		Advice: "mount -t cgroup2 cgroup2 /sys/fs/cgroup"}
	mounts, err := os.ReadFile("/proc/mounts")
	switch text := string(mounts); {
	case err != nil:
		f.Advice = "they are Linux's; a daemon on another system has its own"
		return f.with("", err)
	case strings.Contains(text, "/freezer cgroup "):
		return f.with("version 1, with the freezer", nil)
	case strings.Contains(text, " /sys/fs/cgroup cgroup2 "):
		return f.with("version 2", nil)
	}
	return f.with("", errors.New("none are mounted that could freeze a process"))
}

// loopback checks that a run can have addresses and ports of its own.
func loopback() Finding {
	f := Finding{Name: "ports", For: "environment process, and proxies",
		Advice: "ip addr add 127.0.0.1/8 dev lo && ip link set lo up"}
	for _, host := range []string{"127.0.0.1", "127.83.9.1"} {
		ln, err := net.Listen("tcp", host+":0")
		if err != nil {
			return f.with("", err)
		}
		ln.Close()
	}
	return f.with("any of 127.0.0.0/8 can be listened on", nil)
}

func temporaryFolder() Finding {
	dir, err := os.MkdirTemp(server.Home(), "lockbench-doctor-")
	os.RemoveAll(dir)
	return Finding{Name: "temporary folder", For: "environment process",
		Advice: "export TMPDIR=DIR with a folder that can be written"}.with(server.Home(), err)
}

// Load checks how busy the machine is. With more running programs than processors, clients stall
// without a fault, and a run may come out unknown. If the load is unknown, the check passes.
func Load() Finding {
	text, _ := os.ReadFile("/proc/loadavg")
	return loadOf(string(text), runtime.NumCPU())
}

// loadOf reads the first number of /proc/loadavg, the mean of a minute.
func loadOf(text string, processors int) Finding {
	f := Finding{Name: "load", OK: true, For: "runs on real Redis that decide something",
		Found: "not known"}
	var load float64
	if n, _ := fmt.Sscan(text, &load); n == 0 {
		return f
	}
	f.Found = fmt.Sprintf("%.1f on %d processors", load, processors)
	if load > float64(processors) {
		f.OK, f.Advice = false, "runs take longer, and some may come out unknown; wait until less "+
			"runs at the same time, or use --env sim"
	}
	return f
}
