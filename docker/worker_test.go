package docker

import (
	"testing"
	"time"

	"github.com/lockbench/lockbench/internal/env/cluster"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/nemesis"
	"github.com/lockbench/lockbench/workloads"
)

func TestWorkersInContainers(t *testing.T) {
	t.Parallel()
	for network, others := range map[string]int{Host: 1, Bridge: 2} { // Redis, and the proxies
		t.Run(network, func(t *testing.T) {
			t.Parallel()
			workersInContainers(t, network, others)
		})
	}
}

func workersInContainers(t *testing.T, network string, others int) {
	l := open(t, Options{Network: network, Workers: InContainer})
	w, err := cluster.Start(cluster.Config{
		Dir: t.TempDir(), Topology: nemesis.Single, Launcher: l, Spawner: l.Spawner(), Clients: 2,
		Worker: workloads.Config{
			Impl: "token-lua", TTL: history.Duration(time.Second), Poll: history.Duration(time.Millisecond),
			AcquireTimeout: history.Duration(time.Second),
			ClientTimeout:  history.Duration(time.Second), Keys: []string{"lock:0"},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if n := len(containers(t, l.owner.run)); n != others+2 {
		t.Errorf("%d containers run, not %d and two workers", n, others)
	}
	for _, s := range []nemesis.Step{{Do: nemesis.Pause, Target: "c0"},
		{Do: nemesis.Unpause, Target: "c0"}, {Do: nemesis.Crash, Target: "c1"}} {
		if err := nemesis.Apply(w, s); err != nil {
			t.Error(err)
		}
		if err := w.Prove(s); err != nil {
			t.Errorf("%s: %v", s.Do, err)
		}
	}
	r, ok := w.Next(t.Context(), w.Now()+int64(time.Second))
	for ok && r.Exit == nil {
		r, ok = w.Next(t.Context(), w.Now()+int64(time.Second))
	}
	if !ok || r.Process != 1 {
		t.Errorf("the end of a killed worker was not reported: %+v", r)
	}
}
