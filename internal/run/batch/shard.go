package batch

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Shard is the part of a batch that one of several machines runs. The zero value means the whole
// batch. It is a pflag.Value, written "2/5" for the second of five.
type Shard struct {
	Index int // from 1
	Of    int
}

// Set reads "2/5".
func (s *Shard) Set(text string) error {
	i, n, ok := strings.Cut(text, "/")
	index, err := strconv.Atoi(i)
	of, err2 := strconv.Atoi(n)
	if !ok || err != nil || err2 != nil || of < 1 {
		return fmt.Errorf("%q is not a shard; write 2/5 for the second of five", text)
	}
	if index < 1 || index > of {
		return fmt.Errorf("shard %s does not exist; %d shards are 1/%d to %d/%d", text, of, of, of, of)
	}
	*s = Shard{index, of}
	return nil
}

// String returns the text that Set reads, or "" for the whole.
func (s Shard) String() string {
	if s.Of == 0 {
		return ""
	}
	return fmt.Sprintf("%d/%d", s.Index, s.Of)
}

// Type names the kind of value in the help of a flag.
func (s Shard) Type() string { return "i/n" }

// MarshalText returns the text of String.
func (s Shard) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (s *Shard) UnmarshalText(b []byte) error {
	if len(b) == 0 {
		*s = Shard{}
		return nil
	}
	return s.Set(string(b))
}

// Has reports whether the i-th of many equal things, from 0, belongs to the shard. Every Of-th
// thing does. It splits the seeds of a search.
func (s Shard) Has(i int) bool { return s.Of == 0 || i%s.Of == s.Index-1 }

// Deal returns the things that belong to the shard, in their order. Each thing belongs to exactly
// one shard, the same on every machine. Deal gives the heaviest things out first, each to the shard
// with the smallest sum. Therefore the sums of two shards differ by no more than the heaviest
// thing.
func Deal[T any](s Shard, things []T, weight func(T) int) []T {
	if s.Of <= 1 {
		return things
	}
	order := make([]int, len(things))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(weight(things[b]),
			weight(things[a]))
	})
	load, mine := make([]int, s.Of), make([]bool, len(things))
	for _, i := range order {
		least := slices.Index(load, slices.Min(load))
		load[least] += weight(things[i])
		mine[i] = least == s.Index-1
	}
	var out []T
	for i, t := range things {
		if mine[i] {
			out = append(out, t)
		}
	}
	return out
}

// Part is the description of a shard. Shards of one batch must agree in it.
type Part struct {
	Name     string // of its directory, for messages
	Shard    Shard
	Partial  bool
	Plan     map[string]json.RawMessage // the user's options, by field
	Version  string
	Versions map[string]string // of the servers
}

// Joinable returns an error if the parts are not the shards of one batch, each once. If
// allowMissing is true, shards may be missing or incomplete. It returns the missing shards as text.
func Joinable(parts []Part, allowMissing bool) (missing []string, err error) {
	if len(parts) == 0 {
		return nil, fmt.Errorf("nothing to join; name the directories of the shards")
	}
	first, by := parts[0], map[int]string{}
	for _, p := range parts {
		switch {
		case p.Shard.Of == 0:
			return nil, fmt.Errorf("%s is already complete; there is nothing to merge",
				p.Name)
		case p.Shard.Of != first.Shard.Of:
			return nil,
				fmt.Errorf(
					"%s is shard %s and %s is shard %s: they are parts of different splits; run all with the "+
						"same number", first.Name, first.Shard, p.Name, p.Shard)
		case by[p.Shard.Index] != "":
			return nil, fmt.Errorf("%s and %s are both shard %s; name one of them", by[p.Shard.Index],
				p.Name, p.Shard)
		}
		if err := first.same(p); err != nil {
			return nil, err
		}
		if p.Partial && !allowMissing {
			return nil,
				fmt.Errorf("%s was interrupted; run it again, or join what there is with --allow-missing",
					p.Name)
		}
		by[p.Shard.Index] = p.Name
	}
	for i := 1; i <= first.Shard.Of; i++ {
		if by[i] == "" {
			missing = append(missing, Shard{i, first.Shard.Of}.String())
		}
	}
	if len(missing) > 0 && !allowMissing {
		return nil,
			fmt.Errorf("shard %s is missing; name its directory, or join what there is with --allow-missing",
				strings.Join(missing, ", "))
	}
	return missing, nil
}

// same returns an error if the plan or the program of the parts differ.
func (p Part) same(q Part) error {
	for _, field := range slices.Sorted(maps.Keys(p.Plan)) {
		if !bytes.Equal(p.Plan[field], q.Plan[field]) {
			return fmt.Errorf("%s and %s differ in %s: %s and %s; only shards of one whole can be joined",
				p.Name, q.Name, field, short(p.Plan[field]), short(q.Plan[field]))
		}
	}
	if p.Version != q.Version {
		return fmt.Errorf("%s was run by lockbench %s and %s by %s; run all shards with one version",
			p.Name, p.Version, q.Name, q.Version)
	}
	for _, what := range slices.Sorted(maps.Keys(p.Versions)) {
		if theirs, ok := q.Versions[what]; ok && theirs != p.Versions[what] {
			return fmt.Errorf("%s had %s %s and %s had %s; run all shards with one version", p.Name, what,
				p.Versions[what], q.Name, theirs)
		}
	}
	return nil
}

// short cuts a text to a part of a line.
func short(b []byte) string {
	const limit = 80
	if len(b) > limit {
		return string(b[:limit]) + "…"
	}
	return string(b)
}

// Fields returns the fields of a document, except the named ones. Shards may differ in those.
func Fields(document any, without ...string) (map[string]json.RawMessage, error) {
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

// SeveralMachines is the machine's name for shards from different kinds of machines. Their times
// must not be compared.
const SeveralMachines = "several"
