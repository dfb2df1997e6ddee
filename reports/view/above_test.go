package view

import "testing"

// TestFrom: a page above a run, also one whose folders have signs that mean something in addresses.
func TestFrom(t *testing.T) {
	for _, row := range []struct{ dir, page, want string }{
		{"m/runs/getset/pause", "m/matrix.html", "../../../matrix.html"},
		{"m/runs/a b?c", "m/matrix.html", "../../matrix.html"},
		{"m/runs/x", "m/a b#1.html", "../../a%20b%231.html"},
		{"m", "/elsewhere/matrix.html", ""},
	} {
		if l := From(row.dir, row.page, "the matrix"); l.Href != row.want {
			t.Errorf("from %s to %s: %q, not %q", row.dir, row.page, l.Href, row.want)
		}
	}
}
