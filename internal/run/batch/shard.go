package batch

import (
	"cmp"
	"fmt"
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
