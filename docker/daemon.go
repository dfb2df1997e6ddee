package docker

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/client"
	"github.com/testcontainers/testcontainers-go/log"
)

// answerTimeout is how long the daemon may take to say who it is.
const answerTimeout = 15 * time.Second

// daemon is a Docker daemon that answers.
type daemon struct {
	*client.Client
	version string // of the daemon: "20.10.24"
	arch    string // of its machine, as Go calls it: "amd64"
	remote  string // why its containers are not on this machine's own network; "" if they can be
}

// Version asks the daemon for its version. The error says what to do if none answers.
func Version(ctx context.Context) (string, error) {
	d, err := connect(ctx)
	if err != nil {
		return "", err
	}
	defer d.Close()
	return d.version, nil
}

// connect finds the daemon that DOCKER_HOST names, or this machine's. It passes the address to
// testcontainers, which would panic if it found no daemon by itself, and switches off
// testcontainers' reaper, which needs another image: the janitor does that work.
func connect(ctx context.Context) (*daemon, error) {
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	c, err := client.New(client.FromEnv)
	if err != nil {
		return nil, fmt.Errorf("DOCKER_HOST=%s: %w", os.Getenv("DOCKER_HOST"), err)
	}
	d := &daemon{Client: c}
	if err := d.introduce(ctx); err != nil {
		c.Close()
		return nil, silent(c.DaemonHost(), err)
	}
	os.Setenv("DOCKER_HOST", c.DaemonHost())
	os.Setenv("TESTCONTAINERS_RYUK_DISABLED", "true")
	silence()
	return d, nil
}

// introduce asks the daemon for its identity. It sends a ping first, since only a ping makes the
// client report a daemon that is too old.
func (d *daemon) introduce(ctx context.Context) error {
	if _, err := d.Ping(ctx, client.PingOptions{NegotiateAPIVersion: true}); err != nil {
		return err
	}
	v, err := d.ServerVersion(ctx, client.ServerVersionOptions{})
	if err != nil {
		return err
	}
	info, err := d.Info(ctx, client.InfoOptions{})
	if err != nil {
		return err
	}
	if info.Info.OSType == "windows" {
		return errWindows
	}
	d.version, d.arch = v.Version, v.Arch
	d.remote = elsewhere(runtime.GOOS, d.DaemonHost(), info.Info.OperatingSystem,
		info.Info.SecurityOptions)
	return nil
}

// errWindows is why a daemon that answers is of no use.
var errWindows = errors.New(
	"it runs Windows containers, and Redis needs Linux ones: " +
		"switch Docker Desktop to Linux containers")

// silence keeps testcontainers from writing to the terminal. Its logger is one for the whole
// process, and not made to be set by two runs at once.
var silence = sync.OnceFunc(func() { log.SetDefault(log.NewNoopLogger()) })

// elsewhere says why containers on the host's network are not on this machine's; "" if they are.
func elsewhere(here, host, system string, security []string) string {
	switch {
	case here != "linux":
		return "containers run on Linux, here in a virtual machine"
	case !strings.HasPrefix(host, "unix:"):
		return "the daemon at " + host + " may be on another machine"
	case strings.Contains(system, "Docker Desktop"):
		return "Docker Desktop runs containers in a virtual machine"
	case strings.Contains(strings.Join(security, " "), "name=rootless"):
		return "a rootless daemon has a network of its own"
	}
	return ""
}

// silent says what to do about a daemon that does not answer as it should.
func silent(host string, err error) error {
	switch text := err.Error(); {
	case errors.Is(err, fs.ErrPermission) || strings.Contains(text, "permission denied"):
		return fmt.Errorf(
			"no permission to use Docker at %s: `sudo usermod -aG docker $USER` and log in again, or run "+
				"lockbench as root", host)
	case strings.Contains(text, "client version"): // Docker's words
		return fmt.Errorf("the Docker daemon at %s wants a newer lockbench (%s)", host, oneLine(err))
	case strings.Contains(text, "minimum supported API version"): // our client's
		return fmt.Errorf("the Docker daemon at %s is too old (%s): install Docker 20.10 or newer", host,
			oneLine(err))
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("the Docker daemon at %s did not answer within %v; `docker info` shows more",
			host, answerTimeout)
	case client.IsErrConnectionFailed(err):
		return fmt.Errorf(
			"no Docker daemon answers at %s: `sudo systemctl start docker`, or `sudo apt-get install "+
				"docker.io`; DOCKER_HOST names another", host)
	}
	return fmt.Errorf("the Docker daemon at %s: %s", host, oneLine(err))
}

func oneLine(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }

// remove ends a container at once and removes it with all that it wrote. Another process may do the
// same, or have done it.
func (d *daemon) remove(ctx context.Context, id string) error {
	_, err := d.ContainerRemove(ctx, id, client.ContainerRemoveOptions{
		Force: true, RemoveVolumes: true})
	if errdefs.IsNotFound(err) || errdefs.IsConflict(err) {
		return nil
	}
	return err
}
