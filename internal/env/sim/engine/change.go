package engine

import (
	"maps"
	"slices"
	"strings"
)

// How is the way a key changed.
type How uint8

// The ways a key changes.
const (
	Written How = iota // a command set its value or its expiry
	Deleted            // a command removed it
	Expired            // its time was over when it was next touched
	Copied             // the server took over the contents of its master
	Lost               // the server lost its memory
)

// Change is one change of a key. Old is nil if the key did not exist before, and New is nil if it
// does not exist after it.
type Change struct {
	Key      string
	How      How
	Old, New *Value
}

// Value is the value of a key. Equal pointers mean the same write, also on a replica.
type Value = value

// Text returns a string, or the alternating fields and values of a hash.
func (v *value) Text() string {
	if v.fields == nil {
		return v.str
	}
	words := make([]string, 0, 2*len(v.fields))
	for _, f := range v.fields {
		words = append(words, f.name, f.value)
	}
	return strings.Join(words, " ")
}

// Fields returns the names of the fields of a hash.
func (v *value) Fields() (names []string) {
	for _, f := range v.fields {
		names = append(names, f.name)
	}
	return names
}

// Field returns the value of a field of a hash, or "" if it has none of the name.
func (v *value) Field(name string) string {
	for _, f := range v.fields {
		if f.name == name {
			return f.value
		}
	}
	return ""
}

// Expiry returns the end of the key in ms of the server's wall clock, or 0 if it has none.
func (v *value) Expiry() int64 { return v.until }

// ValueOf returns the value of a key when it was last touched, or nil if there was none.
func ValueOf(e *Engine, key string) *Value { return e.keys[key] }

// Text returns a string value that never expires.
func Text(s string) *Value { return &value{str: s} }

// SnapshotOf returns the contents of a server with one key, or an empty one if v is nil.
func SnapshotOf(key string, v *Value) Snapshot {
	if v == nil {
		return Snapshot{map[string]*value{}}
	}
	return Snapshot{map[string]*value{key: v}}
}

func (e *Engine) tell(key string, how How, from, to *value) {
	if e.Changed != nil {
		e.Changed(Change{key, how, from, to})
	}
}

// reportSnapshot reports what a snapshot changes, in the order of the keys.
func (e *Engine) reportSnapshot(s Snapshot) {
	if e.Changed == nil {
		return
	}
	for _, key := range slices.Sorted(maps.Keys(e.keys)) {
		if s.keys[key] == nil {
			e.tell(key, Copied, e.keys[key], nil)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(s.keys)) {
		if e.keys[key] != s.keys[key] {
			e.tell(key, Copied, e.keys[key], s.keys[key])
		}
	}
}

// Lose reports the loss of all keys, in their order.
func (e *Engine) Lose() {
	for _, key := range slices.Sorted(maps.Keys(e.keys)) {
		e.tell(key, Lost, e.keys[key], nil)
	}
}
