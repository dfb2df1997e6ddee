package choose

import (
	"compress/gzip"
	_ "embed"
	"encoding/json"
	"strings"
	"sync"

	"github.com/lockbench/lockbench/internal/campaign/matrix"
	"github.com/lockbench/lockbench/internal/history"
)

// Record is all data of this package. A program of the lab extracts it from longer records, and it
// is embedded in the binary.
type Record struct {
	Own, Libraries *matrix.Matrix
	Often          []Often
	Settings       []Setting
	Trials         []MitigationCell
	Drawn          []Drawn
	Alone          []Alone
}

// Alone is the median acquire of a lock that only one client wants.
type Alone struct {
	Row     string
	Library bool // the row is a library's
	Acquire history.Duration
}

// Often counts the violations of each cell in many runs in one environment.
type Often struct {
	Found []Count
	Clean []Count // cells without any violation; their Property is ""
}

// Count is the number of judged runs of a cell that violated a property.
type Count struct {
	Row, Column, Property, Nemesis string
	Hits, Of                       int
}

// Drawn is the number of simulated runs that violated a property, with random moments of the fault
// and a random order of messages.
type Drawn struct {
	Row, Fault string
	Hit
}

//go:embed known.json.gz
var known string

// Recorded returns the embedded record. It decodes the record at the first call. The caller must
// not change it.
var Recorded = sync.OnceValues(func() (*Record, error) {
	z, err := gzip.NewReader(strings.NewReader(known))
	if err != nil {
		return nil, err
	}
	r := new(Record)
	return r, json.NewDecoder(z).Decode(r)
})
