package archtest

import (
	"path"
	"strings"
	"testing"
)

// TestDevelopmentNamesEveryRoom checks that DEVELOPMENT.md names each folder of Go files, or the
// room above it.
func TestDevelopmentNamesEveryRoom(t *testing.T) {
	text := read(t, "DEVELOPMENT.md")
	for _, s := range sources(t) {
		room := path.Dir(s.name)
		for room != "." && !strings.Contains(text, "`"+room+"`") {
			room = path.Dir(room)
		}
		if room == "." {
			t.Errorf("DEVELOPMENT.md does not say what %s is for", path.Dir(s.name))
		}
	}
}
