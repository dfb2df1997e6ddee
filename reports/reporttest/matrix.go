package reporttest

import (
	"strings"
	"testing"
	"time"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/campaign/matrix"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/run/batch"
)

// Matrix returns a made-up campaign: four locks under four faults. Words is the text of each
// counterexample.
func Matrix(t testing.TB, words string) *matrix.Matrix {
	t.Helper()
	o := matrix.Options{Rows: []string{"setnx", "getset", "token-lua constant",
		"redlock per attempt"}, Columns: []string{"none", "crash", "pause", "failover"},
		Environment: "process",
		TTL:         500 * time.Millisecond, Seed: 1}
	found := map[string]string{"setnx|crash": "D", "getset|pause": "SLO", "getset|failover": "SLOR",
		"token-lua constant|pause": "S", "token-lua constant|failover": "R",
		"redlock per attempt|pause": "S"}
	var rs []matrix.Result
	for _, row := range o.Rows {
		for _, column := range o.Columns {
			r := matrix.Result{Format: batch.Format, Row: row, Column: column, Nemesis: column,
				Attempt: 1, Dir: "runs/" + strings.ReplaceAll(row, " ", "-") + "/" + column}
			r.Finding = batch.Finding{Verdict: checker.Valid, Properties: map[string]checker.Result{},
				Classes: map[string]string{}, Explanations: map[string]string{}, Reasons: map[string]string{}}
			for _, l := range batch.Properties {
				r.Properties[l] = checker.Valid
				if strings.Contains(found[row+"|"+column], l) {
					r.Properties[l], r.Classes[l], r.Explanations[l] = checker.Violated,
						checker.LeaseOverrun, words
				}
			}
			if row == "redlock per attempt" && column == "failover" {
				r.Properties["S"], r.Reasons["S"] = checker.Unknown, "the machine stalled"
			}
			rs = append(rs, r)
		}
	}
	m, err := matrix.New(o, rs)
	if err != nil {
		t.Fatal(err)
	}
	m.Versions = map[string]string{"redis": "7.0.15"}
	for _, row := range o.Rows {
		m.Costs = append(m.Costs, matrix.RowCost{Row: row, Clients: 4, Hold: history.Duration(5e6),
			AfterCrash: history.Duration(5e8),
			Cost: batch.Cost{Grants: 100, AcquireP50: 7e6, AcquireP99: 9e7, Throughput: 110,
				Commands: 5.25}})
	}
	return m
}
