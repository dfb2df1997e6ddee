package docker

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

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

// janitorEnv marks a process as a janitor, and holds the run that it cleans up after.
const janitorEnv = "LOCKBENCH_JANITOR"

// janitor is a process that outlives this one by the time it takes to remove the containers of its
// run: the same as testcontainers' reaper, but it needs no image. A container cannot be told to die
// with a process.
type janitor struct {
	cmd  *exec.Cmd
	life io.WriteCloser // its input ends when this process does
}

// errJanitor stops a program that does not know that it is a janitor: it would start another one,
// which starts another one.
var errJanitor = errors.New("a janitor starts no containers: the program, or TestMain of the " +
	"test that it is, must ask IsJanitor first and call JanitorMain")

func startJanitor(o owner) (*janitor, error) {
	if IsJanitor() {
		return nil, errJanitor
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	j := &janitor{cmd: exec.Command(self)}
	j.cmd.Env = append(os.Environ(), janitorEnv+"="+o.run)
	ownGroup(j.cmd) // Ctrl-C is for the run
	if j.life, err = j.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	return j, j.cmd.Start()
}

// stop ends the janitor: there is nothing to clean up.
func (j *janitor) stop() {
	_ = j.cmd.Process.Kill()
	_ = j.cmd.Wait()
	j.life.Close()
}

// IsJanitor reports whether this process was started to clean up. A main function, and TestMain of
// a package whose tests open launchers, then calls JanitorMain and nothing else.
func IsJanitor() bool { return os.Getenv(janitorEnv) != "" }

// The janitor's times: a container may have been asked for just before the process was killed, and
// appear later.
const (
	janitorRounds = 4
	janitorPause  = 500 * time.Millisecond
)

// JanitorMain waits for the end of its input and removes the containers of the run. It
// returns the exit code.
func JanitorMain(in io.Reader) int {
	_, _ = io.Copy(io.Discard, in)
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	d, err := connect(ctx)
	if err != nil {
		return 1 // the next start sweeps
	}
	defer d.Close()
	run := os.Getenv(janitorEnv)
	for range janitorRounds {
		_ = d.removeAll(ctx, run)
		time.Sleep(janitorPause)
	}
	return 0
}
