package units

import "regexp"

var owner = regexp.MustCompile(`\b([0-9a-f]{6})[0-9a-f-]{10,}([0-9a-f]{4})\b`)

// ShortOwners shortens each long owner value in a text to its beginning and its end, which tell one
// value from another.
func ShortOwners(s string) string { return owner.ReplaceAllString(s, "$1…$2") }
