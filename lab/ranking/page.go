package ranking

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/internal/history"
)

// Page returns the record as a Markdown page.
func (r *Record) Page() string {
	var p strings.Builder
	p.WriteString("# Locks in Redis, ZooKeeper, etcd and databases, by speed\n\n**The answer.**\n\n")
	for i, n := range Clients {
		rows := r.bySpeed(i)
		first, last := rows[0], rows[len(rows)-1]
		fmt.Fprintf(&p, "- With %s `%s` (%s) is granted most often,\n  %.0f times a second, and `%s` (%s) "+
			"least, %.0f times.\n", units.Count(n, "client"), first.Name(), first.System,
			first.Speeds[i].Throughput, last.Name(), last.System, last.Speeds[i].Throughput)
	}
	fmt.Fprintf(&p, `
Document 003 ranks locks in a cache, in ZooKeeper and in a database by speed, reliability and ease.
This is the speed. Each lock was run %d times for %v with one client and with eight, all by turns,
on %s. A client holds the lock for %v and wants it
again at once. Each client's way to each server is a toxiproxy link, which costs the same for all.
Reliability is in [libraries.md](libraries.md) and in
[running.md](../../docs/running.md#other-systems-than-redis), and each claim of the
document in [claims.md](claims.md). %s measures the speed and writes this page.
`, r.Runs, r.For.D(), r.Machine, r.Hold.D(), "`cd lab && go run ./ranking/measure`")
	for i, n := range Clients {
		r.table(&p, i, n)
	}
	p.WriteString(`
The hand-over is the time from a release, as its holder begins it, to the next grant, if that is
another client's which had asked before. What a lock that polls needs with eight clients is mostly
the pause between its tries.

*Woken* is how many waiting clients a release wakes on average (the herd), for each grant, as the
servers count it themselves: in ZooKeeper the watches for a deleted node that fired (its metric
zk_sum_node_deleted_watch_count), in etcd the events that were sent to clients that watch a key
(etcd_debugging_mvcc_events_total). It is counted in runs of their own, as busy as the machine may
be. A client that has not set its watch yet is not woken; one whose neighbour gives up, as all do at
the end of a run, is, so that the number can be a little above one. A lock that polls is woken by no
release; the servers of the other systems are not asked for such a count.

## What a system keeps

| system | version | durability as lockbench starts it |
|---|---|---|
`)
	for _, l := range Locks {
		if name := l.System; !strings.Contains(p.String(), "\n| "+name+" | "+r.version(name)) {
			fmt.Fprintf(&p, "| %s | %s | %s |\n", name, r.version(name), Durability[name])
		}
	}
	p.WriteString("\nThe numbers here were taken with the folders of servers on a disk. A run " +
		"keeps them in memory\n(`/dev/shm`) where 4 GB of it are free, so that fsync costs nothing; " +
		"`TMPDIR=DIR` puts them elsewhere.\n")
	return p.String()
}

// table writes the table for the i-th number of clients.
func (r *Record) table(p *strings.Builder, i, clients int) {
	fmt.Fprintf(p, "\n## With %s\n\n| system | lock | who waits | grants per second | acquire p50 | "+
		"p99 | hand-over p50 | p99 | woken | grants |\n|---|---|---|---|---|---|---|---|---|---|\n",
		units.Count(clients, "client"))
	for _, row := range r.bySpeed(i) {
		s := row.Speeds[i]
		fmt.Fprintf(p, "| %s | %s | %s | %.0f | %s | %s | %s | %s | %s | %d |\n", row.System, row.Name(),
			row.Waits, s.Throughput, short(s.AcquireP50), short(s.AcquireP99), short(s.HandOverP50),
			short(s.HandOverP99), s.woken(), s.Grants)
	}
}

// woken formats how many clients a release wakes. It returns "-" if that was not counted.
func (s Speed) woken() string {
	if s.Woken == nil {
		return "-"
	}
	return fmt.Sprintf("%.2f", *s.Woken)
}

// bySpeed returns the rows sorted by their speed with the i-th number of clients, fastest first.
func (r *Record) bySpeed(i int) []Row {
	rows := slices.Clone(r.Rows)
	slices.SortStableFunc(rows, func(a, b Row) int {
		return cmp.Compare(b.Speeds[i].Throughput, a.Speeds[i].Throughput)
	})
	return rows
}

// version returns the version of a system's servers, or "-".
func (r *Record) version(system string) string { return cmp.Or(r.Versions[system], "-") }

// short formats a time with three digits, or as "-" if it is zero.
func short(d history.Duration) string {
	switch {
	case d == 0:
		return "-"
	case d.D() < time.Millisecond:
		return fmt.Sprintf("%.0f µs", float64(d)/float64(time.Microsecond))
	}
	return fmt.Sprintf("%.3g ms", float64(d)/float64(time.Millisecond))
}
