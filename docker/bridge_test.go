package docker

import (
	"errors"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/lockbench/lockbench/internal/dev/testenv"
	"github.com/lockbench/lockbench/internal/env/cluster"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/nemesis"
	"github.com/moby/moby/client"
)

func TestADaemonThatMayBeElsewhere(t *testing.T) {
	t.Setenv("DOCKER_HOST", testenv.Elsewhere(t))
	if err := Ready(t.Context(), Options{}); err != nil {
		t.Fatal(err)
	}
	demand(t, Ready(t.Context(), Options{Network: Host}), "may be on another machine")
	l := open(t, Options{})
	if v := l.Versions(); v["network"] != Bridge || v["proxies"] != InContainer {
		t.Errorf("what the report names is %v", v)
	}
	for _, row := range []struct {
		topology string
		scenario []nemesis.Step
	}{
		{nemesis.Failover, nil},
		{nemesis.Single, []nemesis.Step{{Do: nemesis.NodeClock, Target: "n0",
			Offset: history.Duration(time.Hour)}}},
	} {
		w, err := cluster.Start(cluster.Config{Dir: t.TempDir(), Topology: row.topology, Masters: 2,
			Launcher: l, Scenario: row.scenario})
		if err != nil {
			t.Errorf("%s: %v", row.topology, err)
			continue
		}
		for _, s := range row.scenario {
			if err := errors.Join(nemesis.Apply(w, s), w.Prove(s)); err != nil {
				t.Error(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestNothingButTheProxiesIsPublished looks at what an image that declares a port would have
// published by testcontainers, on every interface.
func TestNothingButTheProxiesIsPublished(t *testing.T) {
	t.Parallel()
	testenv.Part(t, "bridge")
	const declares = "lockbench/exposes:test"
	build := exec.Command("docker", "build", "-q", "-t", declares, "-")
	build.Stdin = strings.NewReader("FROM " + DefaultImage + "\nEXPOSE 6379\n")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	t.Cleanup(func() { _ = exec.Command("docker", "rmi", declares).Run() })
	l := open(t, Options{Network: Bridge, Image: declares})
	launch(t, l, place(t, l, somewhere()))
	for _, id := range containers(t, l.owner.run) {
		r, err := l.daemon.ContainerInspect(t.Context(), id, client.ContainerInspectOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for port, at := range r.Container.NetworkSettings.Ports {
			for _, b := range at {
				if r.Container.Config.Labels["lockbench.node"] != "proxies" ||
					b.HostIP.String() != "127.0.0.1" {
					t.Errorf("%s publishes %s on %s", r.Container.Config.Labels["lockbench.node"], port, b.HostIP)
				}
			}
		}
	}
}
