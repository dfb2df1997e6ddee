package study

import (
	"encoding/json"
	"testing"
)

// TestZerosAreLeftOut: the embedded record has no fields that decode to zero anyway, except those
// of costs, where an absent number says that it is not known.
func TestZerosAreLeftOut(t *testing.T) {
	var all any
	if err := json.Unmarshal([]byte(`{"cells":[{"row":"a","known":false,"runs":[{"dir":"","seed":0,
		"took":"0s","verdict":"unknown","properties":{"S":"valid"}}]}],
		"costs":[{"row":"a","ungranted":0}]}`), &all); err != nil {
		t.Fatal(err)
	}
	got, _ := json.Marshal(withoutZeros(all))
	const want = `{"cells":[{"row":"a","runs":[{"properties":{"S":"valid"}}]}],` +
		`"costs":[{"row":"a","ungranted":0}]}`
	if string(got) != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}
