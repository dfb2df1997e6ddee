package archtest

import (
	"path"
	"strings"
	"testing"
)

// TestDevelopmentNamesEveryRoom: DEVELOPMENT.md says what each room is responsible for. A room
// below one that is named may be named by its last word.
func TestDevelopmentNamesEveryRoom(t *testing.T) {
	text := read(t, "DEVELOPMENT.md")
	for room := range rooms {
		if !strings.Contains(text, "`"+room+"`") && !(strings.Contains(text, "`"+path.Dir(room)+"`") &&
			strings.Contains(text, "`"+path.Base(room)+"`")) {
			t.Errorf("DEVELOPMENT.md does not say what %s is for", room)
		}
	}
}
