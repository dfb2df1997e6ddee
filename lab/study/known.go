package study

import (
	"github.com/lockbench/lockbench/internal/campaign/matrix"
	"github.com/lockbench/lockbench/internal/choose"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/search/explore"
	"github.com/lockbench/lockbench/lab/ranking"
	"github.com/lockbench/lockbench/lab/searched"
)

// Known returns the record that the product embeds.
func (b *Book) Known(hits *searched.Record) choose.Record {
	r := choose.Record{Own: b.Matrix, Libraries: b.Libraries, Settings: settings()}
	for _, s := range b.Soaks {
		if s.Environment == "process" {
			r.Often = append(r.Often, choose.Often{Found: counts(s.Found), Clean: counts(s.Clean)})
		}
	}
	if b.Mitigations != nil {
		r.Trials = b.Mitigations.Cells
	}
	for _, h := range hits.Hits {
		r.Drawn = append(r.Drawn, choose.Drawn{Row: h.Row, Fault: h.Fault,
			Hit: choose.Hit{Property: h.Letter, Hits: h.Found[explore.Portfolio], Of: h.Seeds}})
	}
	if b.Ranking != nil {
		r.Alone = alone(b.Ranking.Rows)
	}
	return r
}

// alone returns the acquire of each ranked lock that a single client wants.
func alone(rows []ranking.Row) (all []choose.Alone) {
	for _, r := range rows {
		p := harness.Plan{Impl: r.Impl, Variant: r.Variant}
		if r.Adapter != "" {
			p.Impl, p.Adapter = r.Adapter, &harness.Adapter{Name: r.Adapter}
		}
		row, ok := matrix.RowFor(p)
		for _, s := range r.Speeds {
			if ok && s.Clients == 1 {
				all = append(all, choose.Alone{Row: row.Name, Library: r.Adapter != "",
					Acquire: s.AcquireP50})
			}
		}
	}
	return all
}

// counts converts hit rates to counts.
func counts(rates []HitRate) (all []choose.Count) {
	for _, h := range rates {
		all = append(all, choose.Count{Row: h.Row, Column: h.Column, Property: h.Property,
			Nemesis: h.Nemesis, Hits: h.Hits, Of: h.Of})
	}
	return all
}
