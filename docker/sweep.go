package docker

import (
	"context"
	"crypto/rand"
	"errors"
	"os"
	"strconv"
	"strings"

	"github.com/moby/moby/client"
	"github.com/testcontainers/testcontainers-go"
)

// The labels of our containers. What is without runLabel is not ours and is never touched.
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

// labels gives a container the labels of its owner and, unless it is "", the name of its node.
func (o owner) labels(node string) testcontainers.ContainerCustomizer {
	all := map[string]string{runLabel: o.run, pidLabel: o.pid, startLabel: o.start,
		spaceLabel: o.space}
	if node != "" {
		all["lockbench.node"] = node
	}
	return testcontainers.WithLabels(all)
}

// startOf returns the start time of a process in the kernel's ticks. It returns "" if the process
// is a zombie or its entry in /proc cannot be read.
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

// space names the boot of the machine and the namespace of process ids: one daemon may serve
// several namespaces.
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

// Sweep removes the containers of runs whose process is gone. It cannot know this of containers
// that another container made, or that were made before the machine's last start. If all is set, it
// also removes these unless they still run. It returns the number of removed containers.
func Sweep(ctx context.Context, all bool) (int, error) {
	d, err := connect(ctx)
	if err != nil {
		return 0, err
	}
	defer d.Close()
	return d.sweep(ctx, all)
}

func (d *daemon) sweep(ctx context.Context, all bool) (n int, err error) {
	err = d.ours(ctx, func(id, state string, labels map[string]string) error {
		unused := state != "running" && state != "paused"
		if !abandoned(labels) && !(all && unused && labels[spaceLabel] != space()) {
			return nil
		}
		n++
		return d.remove(ctx, id)
	})
	return n, err
}

// removeAll removes the containers of a run.
func (d *daemon) removeAll(ctx context.Context, run string) error {
	return d.ours(ctx, func(id, _ string, labels map[string]string) error {
		if labels[runLabel] != run {
			return nil
		}
		return d.remove(ctx, id)
	})
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
