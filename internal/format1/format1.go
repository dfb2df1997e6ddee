// Package format1 reads the words of the first version's files: each room that reads a document
// says which fields have another name since, and the rest of the room knows the new names only.
package format1

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
)

// Names are the fields of a document that were renamed: old name to new name, at any depth. Where
// one old name became two new ones, a key such as "requires.strikes" names the object, too.
type Names map[string]string

// And are the names of both.
func (n Names) And(more Names) Names {
	all := maps.Clone(n)
	maps.Copy(all, more)
	return all
}

// Upgrade returns a JSON document of format 1 with its fields named as they are today. Numbers keep
// their digits and values are untouched. The error says that b is no JSON.
func Upgrade(b []byte, names Names) ([]byte, error) {
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.UseNumber()
	var doc any
	if err := dec.Decode(&doc); err != nil {
		return nil, fmt.Errorf("not a document of format 1: %w", err)
	}
	return json.Marshal(rename(doc, "", names))
}

// rename renames below v, which is the value of the field parent.
func rename(v any, parent string, names Names) any {
	switch x := v.(type) {
	case []any:
		for i := range x {
			x[i] = rename(x[i], parent, names)
		}
	case map[string]any:
		out := make(map[string]any, len(x))
		for name, value := range x {
			out[names.Today(parent, name)] = rename(value, name, names)
		}
		return out
	}
	return v
}

// Today is what a field is called today. Parent is the name of the field whose value its object is.
func (n Names) Today(parent, name string) string {
	for _, key := range []string{parent + "." + name, name} {
		if today, ok := n[key]; ok {
			return today
		}
	}
	return name
}
