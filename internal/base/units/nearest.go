package units

import "strings"

// Nearest returns the name that a wrong one probably means, or "" if none is near.
func Nearest(name string, names []string) string {
	best, at := len(name)/2+1, ""
	for _, n := range names {
		d := distance(name, n)
		if strings.HasPrefix(n, name) {
			d = 1 // the beginning of a name
		}
		if d < best && name != "" {
			best, at = d, n
		}
	}
	return at
}

// distance returns the number of letters to insert, delete or change to get from a to b.
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

// Quoted quotes a word for a shell, in a command that people copy.
func Quoted(word string) string {
	if word != "" && !strings.ContainsAny(word, " \t\n\"'`$&|;<>()*?[]#~\\") {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
