// Package searched measures searches without an aim: how often each kind of schedule finds a
// violation, and how long that takes. It writes its tables into lab/results/search.md.
package searched

import (
	"strings"

	"github.com/lockbench/lockbench/internal/campaign/matrix"
	"github.com/lockbench/lockbench/internal/search/explore"
)

// Cell is a row of the matrix, a fault, and a property that is violated there.
type Cell struct {
	Row    string `json:"row"`
	Fault  string `json:"fault"`
	Letter string `json:"letter"`
}

func (c Cell) String() string { return c.Row + ", " + c.Fault + ", " + c.Letter }

// rare lists the cells whose hits are counted. They cover many kinds of orders and moments, and
// violations that random latencies alone rarely find. Each violation is in lab/results/verdicts.md.
const rare = `setnx-del-expired, none, S
setnx-del-expired, crash, S
setnx-del-expired nil-retry, crash, L
token-lua, late, S
setnx-expire, late, S
setpx-getdel, pause, L
redisson watchdog, failover, L
redlock per call, clock-server, L
redlock per call, pause, S
getset, clock-client, S
token-lua, clock-server, L
getset-redispy, none, S
redisson watchdog, late, L
redlock per call, late, L
setnx, crash, D
setnx, failover, S
setnx, restart, S
setnx-expire, crash, D
setnx-expire, pause, S
setnx-expire-lua, pause, S
getset, pause, S
getset, failover, S
getset-java, none, S
getset-redispy, clock-client, S
setpx-del, late, S
setpx-del, pause, L
setpx-getdel, busy, S
token-lua, pause, S
token-lua, failover, L
token-lua, restart, L
redisson fixed lease, restart, L
redisson-spin, partition, S
redisson-multi, restart, L
redisson-fenced fixed lease, failover, F
redlock per attempt, restart, L
token-lua constant, late, L`

// Rare returns the cells whose hits are counted.
func Rare() (all []Cell) {
	for line := range strings.Lines(rare) {
		f := strings.Split(strings.TrimSpace(line), ", ")
		all = append(all, Cell{f[0], f[1], f[2]})
	}
	return all
}

// search returns a search for the violation of a cell without any aim, at random moments.
func (c Cell) search(schedule, moments string) (explore.Search, error) {
	rows, err := matrix.FindRows([]string{c.Row})
	if err != nil {
		return explore.Search{}, err
	}
	fault := c.Fault
	for _, column := range matrix.Columns() {
		if column.Name == fault {
			fault = column.Fault()
		}
	}
	return explore.Search{Options: rows[0].Options(fault), Properties: []string{c.Letter},
		Schedule: schedule, Moments: moments}, nil
}
