package impls

import (
	"fmt"
	"strings"
)

// hint is " (did you mean X?)" for the name closest to a wrong one, or nothing.
func hint(name string, names []string) string {
	best, at := len(name)/2+1, ""
	for _, n := range names {
		d := distance(name, n)
		if strings.HasPrefix(n, name) {
			d = 1 // the beginning of a name means that name
		}
		if d < best && name != "" {
			best, at = d, n
		}
	}
	if at == "" {
		return ""
	}
	return fmt.Sprintf(" (did you mean %q?)", at)
}

// distance is the number of letters to insert, delete or change to get from a to b.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range a {
		diag := row[0]
		row[0] = i + 1
		for j := range b {
			change := diag
			if a[i] != b[j] {
				change++
			}
			diag = row[j+1]
			row[j+1] = min(change, diag+1, row[j]+1)
		}
	}
	return row[len(b)]
}
