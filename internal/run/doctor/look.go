package doctor

import (
	"context"
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
	f := Finding{Name: name, For: use, Advice: advice, Found: "not found"}
	path, err := exec.LookPath(name)
	if err != nil {
		return f
	}
	out, err := exec.Command(path, "--version").Output()
	first, _, _ := strings.Cut(string(out), "\n")
	if err != nil {
		f.Found = fmt.Sprintf("%s does not run: %v", path, err)
		return f
	}
	f.OK, f.Found, f.Advice = true, first, ""
	return f
}

// sentinel checks redis-sentinel. It is redis-server in another mode, and every supported version
// has it.
func sentinel(redis Finding) Finding {
	f := Finding{Name: "sentinel", For: "fault failover-sentinel in the environment process",
		OK:    redis.OK,
		Found: redis.Found, Advice: redis.Advice}
	if f.OK {
		f.Found = "redis-server is it, too"
	}
	return f
}

// clockShim builds the shim, as the first run with it would.
func clockShim() Finding {
	f := Finding{Name: "clock shim",
		For: "fault clock-server in the environment process, and in images without a shim"}
	lib, err := clock.Shim()
	switch {
	case err != nil && server.ClockMeans() == nil:
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

func dockerDaemon(ctx context.Context) Finding {
	f := Finding{Name: "docker", For: "environment docker"}
	v, err := docker.Version(ctx)
	if err != nil {
		f.Found = err.Error()
		return f
	}
	f.OK, f.Found = true, "daemon "+v
	return f
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
		f := Finding{Name: i.name, For: i.use}
		if id, err := docker.ImageID(ctx, i.image); !daemon {
			f.Found = "no daemon that could be asked"
		} else if err != nil {
			f.Found = err.Error()
		} else {
			f.OK, f.Found = true, i.image+" "+id
		}
		findings = append(findings, f)
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

// loopback checks that a run can have addresses and ports of its own.
func loopback() Finding {
	f := Finding{Name: "ports", For: "environment process, and proxies"}
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

func temporaryFolder() Finding {
	f := Finding{Name: "temporary folder", For: "environment process", OK: true, Found: server.Home()}
	dir, err := os.MkdirTemp(f.Found, "lockbench-doctor-")
	if err != nil {
		f.OK, f.Found, f.Advice = false, err.Error(),
			"export TMPDIR=DIR with a folder that can be written"
	}
	os.RemoveAll(dir)
	return f
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
