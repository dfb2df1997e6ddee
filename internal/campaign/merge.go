package campaign

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// part is what two results must have in common to be shards of one.
type part struct {
	name     string // of its directory, for people
	shard    Shard
	partial  bool
	plan     map[string]json.RawMessage // all that was asked for, by field
	version  string
	versions map[string]string // of what answered
}

// joinable refuses parts that are not the shards of one campaign, each once. With allowMissing some
// may be missing or cut short. It returns the shards that are missing, as text.
func joinable(parts []part, allowMissing bool) (missing []string, err error) {
	if len(parts) == 0 {
		return nil, fmt.Errorf("nothing to join; name the directories of the shards")
	}
	first, by := parts[0], map[int]string{}
	for _, p := range parts {
		switch {
		case p.shard.Of == 0:
			return nil, fmt.Errorf("%s is no shard, but a whole one; there is nothing to join it with",
				p.name)
		case p.shard.Of != first.shard.Of:
			return nil,
				fmt.Errorf(
					"%s is shard %s and %s is shard %s: they are parts of different splits; run all with the same number", first.name, first.shard, p.name, p.shard)
		case by[p.shard.Index] != "":
			return nil, fmt.Errorf("%s and %s are both shard %s; name one of them", by[p.shard.Index],
				p.name, p.shard)
		}
		if err := first.same(p); err != nil {
			return nil, err
		}
		if p.partial && !allowMissing {
			return nil,
				fmt.Errorf("%s was interrupted; run it again, or join what there is with --allow-missing",
					p.name)
		}
		by[p.shard.Index] = p.name
	}
	for i := 1; i <= first.shard.Of; i++ {
		if by[i] == "" {
			missing = append(missing, Shard{i, first.shard.Of}.String())
		}
	}
	if len(missing) > 0 && !allowMissing {
		return nil,
			fmt.Errorf("shard %s is missing; name its directory, or join what there is with --allow-missing",
				strings.Join(missing, ", "))
	}
	return missing, nil
}

// same refuses a part that was run with another plan or another program.
func (p part) same(q part) error {
	for _, field := range slices.Sorted(maps.Keys(p.plan)) {
		if !bytes.Equal(p.plan[field], q.plan[field]) {
			return fmt.Errorf("%s and %s differ in %s: %s and %s; only shards of one campaign can be joined",
				p.name, q.name, field, short(p.plan[field]), short(q.plan[field]))
		}
	}
	if p.version != q.version {
		return fmt.Errorf("%s was run by lockbench %s and %s by %s; run all shards with one version",
			p.name, p.version, q.name, q.version)
	}
	for _, what := range slices.Sorted(maps.Keys(p.versions)) {
		if theirs, ok := q.versions[what]; ok && theirs != p.versions[what] {
			return fmt.Errorf("%s had %s %s and %s had %s; run all shards with one version", p.name, what,
				p.versions[what], q.name, theirs)
		}
	}
	return nil
}

// short keeps an error on its line.
func short(b []byte) string {
	const limit = 80
	if len(b) > limit {
		return string(b[:limit]) + "…"
	}
	return string(b)
}

// fields are the fields of a document, without those that shards may differ in.
func fields(document any, without ...string) (map[string]json.RawMessage, error) {
	b, err := json.Marshal(document)
	if err != nil {
		return nil, err
	}
	out := map[string]json.RawMessage{}
	if err := json.Unmarshal(b, &out); err != nil {
		return nil, err
	}
	for _, w := range without {
		delete(out, w)
	}
	return out, nil
}
