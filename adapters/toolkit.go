package adapters

import (
	"io/fs"
	"maps"
	"slices"
	"strings"
)

// sdkName is the folder of the SDKs, next to the folders of adapters.
const sdkName = "sdk"

// shared lists the SDKs that every adapter gets. A later SDK is only for the adapters that name it,
// so that it does not change the hash of the others.
var shared = []string{"go", "java", "node", "python", "rust"}

// toolkit calls f for every file of the adapter's SDKs, in the order of their names.
func (a Adapter) toolkit(f func(name string, content []byte) error) error {
	sdk, err := fs.Sub(embedded, sdkName)
	if err != nil {
		return err
	}
	languages, err := fs.ReadDir(sdk, ".")
	if err != nil {
		return err
	}
	var have []string
	for _, l := range languages {
		if slices.Contains(shared, l.Name()) || a.names("{sdk}/"+l.Name()) {
			have = append(have, l.Name())
		}
	}
	return each(sdk, have, f)
}

// names reports whether a command or the environment of the manifest contains a text.
func (a Adapter) names(text string) bool {
	words := slices.Concat(a.Manifest.Setup...)
	words = slices.AppendSeq(append(words, a.Run...), maps.Values(a.Env))
	return strings.Contains(strings.Join(words, " "), text)
}
