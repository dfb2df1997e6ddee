package server

import "testing"

// TestSlot has the keys of Redis' own description of clusters.
func TestSlot(t *testing.T) {
	for key, want := range map[string]int{
		"123456789": 0x31c3, "foo": 12182, "": 0, "{foo}.bar": 12182, "x{foo}{bar}": 12182,
		"{}foo": Slot("{}foo"), "foo{}{bar}": Slot("foo{}{bar}"), "{foo": Slot("{foo"),
	} {
		if got := Slot(key); got != want {
			t.Errorf("%q is in slot %d, want %d", key, got, want)
		}
	}
	if Slot("{}foo") == Slot("foo") {
		t.Error("an empty pair of braces is no tag")
	}
}

// TestSlots: every slot has one master, and the first has that of the key.
func TestSlots(t *testing.T) {
	for _, key := range []string{"foo", "lock:0", "123456789", "a", "b", "c"} {
		seen := map[int]bool{}
		ranges := Slots(3, key)
		for _, r := range ranges {
			for s := r[0]; s <= r[1]; s++ {
				if seen[s] {
					t.Fatalf("slot %d is there twice", s)
				}
				seen[s] = true
			}
		}
		if s := Slot(key); len(seen) != slots || s < ranges[0][0] || s > ranges[0][1] {
			t.Errorf("%s: %d slots, and %d is not among those of the first: %v", key, len(seen), s, ranges)
		}
	}
}
