package batch

import (
	"encoding/json"
	"testing"

	"pgregory.net/rapid"
)

// TestShardsAreAPartition deals weighted things to shards: each thing goes to exactly one of them,
// in its order, and evenly.
func TestShardsAreAPartition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		weights := rapid.SliceOf(rapid.IntRange(1, 9)).Draw(t, "weights")
		of := rapid.IntRange(1, 12).Draw(t, "of")
		type thing struct{ i, w int }
		var things []thing
		heaviest := 0
		for i, w := range weights {
			things = append(things, thing{i, w})
			heaviest = max(heaviest, w)
		}
		seen, low, high := map[int]int{}, 1<<30, 0
		for i := 1; i <= of; i++ {
			sum, last := 0, -1
			for _, x := range Deal(Shard{i, of}, things, func(x thing) int { return x.w }) {
				seen[x.i]++
				sum += x.w
				if x.i <= last {
					t.Fatalf("shard %d/%d is out of order", i, of)
				}
				last = x.i
			}
			low, high = min(low, sum), max(high, sum)
		}
		for i := range weights {
			if seen[i] != 1 {
				t.Fatalf("thing %d is in %d shards", i, seen[i])
			}
		}
		if high-low > heaviest {
			t.Fatalf("the shards weigh %d to %d, the heaviest thing %d", low, high, heaviest)
		}
	})
}

func TestShardAsText(t *testing.T) {
	for text, want := range map[string]string{
		"1/1": "", "2/5": "", "0/5": "shard 0/5 does not exist; 5 shards are 1/5 to 5/5",
		"6/5": "shard 6/5 does not exist; 5 shards are 1/5 to 5/5",
		"2":   `"2" is not a shard; write 2/5 for the second of five`,
		"a/b": `"a/b" is not a shard; write 2/5 for the second of five`,
		"":    `"" is not a shard; write 2/5 for the second of five`,
		"1/0": `"1/0" is not a shard; write 2/5 for the second of five`,
	} {
		var s Shard
		err := s.Set(text)
		if got := errText(err); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
		if err == nil && s.String() != text {
			t.Errorf("%q became %q", text, s)
		}
	}
	for _, s := range []Shard{{}, {2, 5}} {
		b, err := json.Marshal(s)
		var back Shard
		if err != nil || json.Unmarshal(b, &back) != nil || back != s {
			t.Errorf("%v became %s and %v", s, b, back)
		}
	}
}

func errText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
