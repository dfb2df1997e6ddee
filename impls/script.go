package impls

import "strings"

// lua is the text of a script as it goes over the wire: without the comments of our file, on one
// line, as the documents' programs put it together from strings.
func lua(source string) string {
	var lines []string
	for _, line := range strings.Split(source, "\n") {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "--") {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, " ")
}
