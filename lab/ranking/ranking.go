// Package ranking measures what document 003 ranks: the speed of locks in Redis, ZooKeeper, etcd
// and databases without faults. The matrix covers their behaviour under faults. Command measure
// writes the record and its page.
package ranking

import (
	"encoding/json"
	"errors"
	"fmt"
	"github.com/lockbench/lockbench/lab/records"
	"io"
	"os"
	"slices"
	"time"

	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/run/batch"
	"github.com/lockbench/lockbench/internal/run/store"
)

// The names of the record and its page.
const (
	File     = "ranking.json"
	PageFile = "systems.md"
)

// Record is the result of one measurement, which alternates between all locks.
type Record struct {
	Format   int               `json:"format"`
	Machine  string            `json:"machine"`
	Versions map[string]string `json:"versions"`
	For      history.Duration  `json:"for"`  // duration of each run
	Hold     history.Duration  `json:"hold"` // of each client
	Runs     int               `json:"runs"` // of each lock for each number of clients
	Rows     []Row             `json:"rows"`
}

// Row is the measurement of a lock.
type Row struct {
	Lock
	Speeds []Speed `json:"speeds"`
}

// Lock is a lock of lockbench or an adapter.
type Lock struct {
	System  string `json:"system"`
	Impl    string `json:"impl,omitempty"`
	Adapter string `json:"adapter,omitempty"`
	Variant string `json:"variant,omitempty"`
	Waits   string `json:"waits"` // how a client waits
}

// Name returns the name of the lock for tables.
func (l Lock) Name() string {
	name := l.Impl + l.Adapter
	if l.Variant != "" {
		name += " " + l.Variant
	}
	return name
}

// Speed is the measurement for one number of clients.
type Speed struct {
	Clients int `json:"clients"`
	batch.Cost
	// from the start of a release to the next grant to another client; zero with one client
	HandOverP50 history.Duration `json:"hand_over_p50,omitempty"`
	HandOverP99 history.Duration `json:"hand_over_p99,omitempty"`
	// the average number of waiting clients that a release wakes; nil if the servers do not count it
	Woken *float64 `json:"woken,omitempty"`
}

// CountsWoken reports whether the servers of a system count the clients that they wake.
func CountsWoken(system string) bool { return system == "zookeeper" || system == "etcd" }

// SetWoken sets the average number of clients that a release wakes, from the sums over all runs.
func (s *Speed) SetWoken(woken int64, grants int) {
	each := float64(woken) / float64(grants)
	s.Woken = &each
}

// Clients lists the measured numbers of clients.
var Clients = []int{1, 8}

// Locks lists the compared locks. For each system they are the recommended lock and locks that wait
// in another way.
var Locks = []Lock{
	{System: "redis", Impl: "token-lua", Waits: "polls"},
	{System: "redis", Impl: "redisson", Waits: "is told"},
	{System: "redis", Impl: "redlock", Waits: "polls five masters"},
	{System: "zookeeper", Adapter: "go-zookeeper", Variant: "ephemeral", Waits: "all are told"},
	{System: "zookeeper", Adapter: "go-zookeeper", Variant: "sequential", Waits: "the next is told"},
	{System: "zookeeper", Adapter: "curator", Variant: "mutex", Waits: "the next is told"},
	{System: "etcd", Adapter: "etcd-mutex", Variant: "ttl", Waits: "the next is told"},
	{System: "postgres", Adapter: "postgres", Variant: "advisory", Waits: "in the server's queue"},
	{System: "postgres", Adapter: "postgres", Variant: "row", Waits: "in the server's queue"},
	{System: "postgres", Adapter: "postgres", Variant: "lease", Waits: "polls"},
	{System: "mariadb", Adapter: "mariadb", Variant: "get-lock", Waits: "in the server's queue"},
}

// Durability says what a system, as started by lockbench, keeps after it has confirmed a write.
var Durability = map[string]string{
	"redis":     "nothing is written to disk",
	"zookeeper": "written, not forced to disk (forceSync=no)",
	"etcd":      "each write is forced to disk (fsync)",
	"postgres":  "written, not forced to disk (fsync=off)",
	"mariadb":   "GET_LOCK writes nothing",
}

// Measure returns the speed over all histories. Their plans must be equal.
func Measure(clients int, all []*history.History) Speed {
	s := Speed{Clients: clients}
	var samples []batch.Sample
	var hands []time.Duration
	for _, h := range all {
		samples, hands = append(samples, batch.Measure(h, nil)), append(hands, handOvers(h)...)
	}
	s.Cost = batch.Join(samples...)
	if len(hands) > 0 {
		slices.Sort(hands)
		s.HandOverP50 = history.Duration(units.Quantile(hands, 0.5))
		s.HandOverP99 = history.Duration(units.Quantile(hands, 0.99))
	}
	return s
}

// handOvers returns the times from a release to the next grant, if another client gets it and had
// asked before the release.
func handOvers(h *history.History) (all []time.Duration) {
	called := map[int]int64{}
	releaser, released := -1, int64(0)
	for _, e := range h.Events {
		switch {
		case e.Type == history.Invoke && e.F == history.Acquire:
			called[e.Process] = e.T
		case e.Type == history.Invoke && e.F == history.Release:
			releaser, released = e.Process, e.T
		case e.Type == history.OK && e.F == history.Acquire:
			if releaser >= 0 && e.Process != releaser && called[e.Process] < released {
				all = append(all, time.Duration(e.T-released))
			}
			releaser = -1
		}
	}
	return all
}

// Write writes the record and its page to the directory docs.
func (r *Record) Write(docs string) error {
	return errors.Join(records.Write(docs, File, func(f io.Writer) error {
		e := json.NewEncoder(f)
		e.SetIndent("", "  ")
		return e.Encode(r)
	}), store.Write(docs, PageFile, func(f *os.File) error {
		_, err := f.WriteString(r.Page())
		return err
	}))
}

// Read reads a record.
func Read(from io.Reader) (*Record, error) {
	var r Record
	if err := json.NewDecoder(from).Decode(&r); err != nil {
		return nil, err
	}
	if r.Format != 1 {
		return nil, fmt.Errorf("it has format %d; this lockbench reads 1", r.Format)
	}
	return &r, nil
}
