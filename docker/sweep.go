package docker

import (
	"context"
	"crypto/rand"
	"errors"
	"os"
	"strconv"
	"strings"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/client"
)

// The labels of our containers and networks. What is without runLabel is not ours and is
// never touched.
const (
	runLabel   = "lockbench.run"   // the same for all containers of a run
	pidLabel   = "lockbench.pid"   // of the process that they belong to
	startLabel = "lockbench.start" // when it was started, since numbers of processes come again
	spaceLabel = "lockbench.space" // where its number means something
)

// owner is the process that containers belong to, in one run.
type owner struct {
	run, pid, start, space string
}

func newOwner() owner {
	pid := os.Getpid()
	return owner{run: rand.Text(), pid: strconv.Itoa(pid), start: startOf(pid), space: space()}
}

func (o owner) labels() map[string]string {
	return map[string]string{runLabel: o.run, pidLabel: o.pid, startLabel: o.start,
		spaceLabel: o.space}
}

// startOf is when a process was started, in the kernel's ticks; "" if there is no such process.
func startOf(pid int) string {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return ""
	}
	_, rest, _ := strings.Cut(string(stat), ") ") // the name before may hold anything
	const started = 22 - 3                        // of proc(5), less the fields that were cut off
	if f := strings.Fields(rest); len(f) > started && f[0] != "Z" {
		return f[started]
	}
	return ""
}

// space names the boot of the machine and the set of processes in which a number means one of them:
// a daemon may serve several.
func space() string {
	boot, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	ns, _ := os.Readlink("/proc/self/ns/pid")
	return strings.TrimSpace(string(boot)) + " " + ns
}

// abandoned reports whether the process that a container belongs to is gone for certain.
func abandoned(labels map[string]string) bool {
	pid, err := strconv.Atoi(labels[pidLabel])
	return labels[runLabel] != "" && err == nil && labels[spaceLabel] == space() &&
		startOf(pid) != labels[startLabel]
}

// Sweep removes the containers and networks of runs whose process is gone. With all it also removes
// those of which it cannot know, because they were made by another container or before the
// machine's last start, if they are not in use any more. It returns how many it removed.
func Sweep(ctx context.Context, all bool) (int, error) {
	d, err := connect(ctx)
	if err != nil {
		return 0, err
	}
	defer d.Close()
	return d.sweep(ctx, all)
}

func (d *daemon) sweep(ctx context.Context, all bool) (n int, err error) {
	over := func(labels map[string]string, used func() bool) bool {
		return abandoned(labels) || all && labels[spaceLabel] != space() && !used()
	}
	err = d.ours(ctx, func(id, state string, labels map[string]string) error {
		if !over(labels, func() bool { return state == "running" || state == "paused" }) {
			return nil
		}
		n++
		return d.gone(d.remove(ctx, id))
	})
	return n, errors.Join(err, d.networks(ctx, func(id string, labels map[string]string) error {
		if !over(labels, func() bool { return d.used(ctx, id) }) {
			return nil
		}
		n++
		return d.gone(d.removeNetwork(ctx, id))
	}))
}

// removeAll removes the containers and then the networks of a run.
func (d *daemon) removeAll(ctx context.Context, run string) error {
	err := d.ours(ctx, func(id, _ string, labels map[string]string) error {
		if labels[runLabel] != run {
			return nil
		}
		return d.gone(d.remove(ctx, id))
	})
	return errors.Join(err, d.networks(ctx, func(id string, labels map[string]string) error {
		if labels[runLabel] != run {
			return nil
		}
		return d.gone(d.removeNetwork(ctx, id))
	}))
}

// networks calls f for each network that carries our label.
func (d *daemon) networks(ctx context.Context,
	f func(id string, labels map[string]string) error) error {
	list, err := d.NetworkList(ctx, client.NetworkListOptions{Filters: client.Filters{}.Add("label",
		runLabel)})
	if err != nil {
		return errors.New("cannot list networks: " + oneLine(err))
	}
	for _, n := range list.Items {
		err = errors.Join(err, f(n.ID, n.Labels))
	}
	return err
}

// used reports whether a network has containers in it that run.
func (d *daemon) used(ctx context.Context, network string) bool {
	n, err := d.NetworkInspect(ctx, network, client.NetworkInspectOptions{})
	return err != nil || len(n.Network.Containers) > 0
}

func (d *daemon) removeNetwork(ctx context.Context, id string) error {
	_, err := d.NetworkRemove(ctx, id, client.NetworkRemoveOptions{})
	return err
}

// ours calls f for each container that carries our label.
func (d *daemon) ours(ctx context.Context, f func(id, state string,
	labels map[string]string) error) error {
	list, err := d.ContainerList(ctx, client.ContainerListOptions{
		All: true, Filters: client.Filters{}.Add("label", runLabel)})
	if err != nil {
		return errors.New("cannot list containers: " + oneLine(err))
	}
	for _, c := range list.Items {
		err = errors.Join(err, f(c.ID, string(c.State), c.Labels))
	}
	return err
}

// gone forgives that another process removes the container or the network, or has, or is not done
// with the containers of the network.
func (*daemon) gone(err error) error {
	if errdefs.IsNotFound(err) || errdefs.IsConflict(err) || errdefs.IsPermissionDenied(err) &&
		strings.Contains(err.Error(), "active endpoints") {
		return nil
	}
	return err
}
