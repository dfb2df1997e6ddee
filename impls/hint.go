package impls

import (
	"fmt"

	"github.com/lockbench/lockbench/internal/base/units"
)

// hint is " (did you mean X?)" for the name closest to a wrong one, or nothing.
func hint(name string, names []string) string {
	if near := units.Nearest(name, names); near != "" {
		return fmt.Sprintf(" (did you mean %q?)", near)
	}
	return ""
}
