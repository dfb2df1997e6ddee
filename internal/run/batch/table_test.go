package batch

import (
	"fmt"
	"strings"
	"testing"
)

func TestATableIsReadStrictly(t *testing.T) {
	type row struct{ Name, Reason string }
	read := func(text string) (rows []row, wrong string) {
		defer func() {
			if r := recover(); r != nil {
				wrong = fmt.Sprint(r)
			}
		}()
		return Table[[]row]("rows.yaml", text)(), ""
	}
	rows, wrong := read("- name: a\n  reason: >-\n    two\n    lines\n- {name: b}\n")
	if wrong != "" || len(rows) != 2 || rows[0] != (row{"a", "two lines"}) || rows[1].Name != "b" {
		t.Errorf("%+v %s", rows, wrong)
	}
	for _, text := range []string{"- name: a\n  resaon: b\n", "- name: a\n  name: b\n", "name: a\n",
		"- [a]\n", "- name: 'a\n"} {
		if rows, wrong := read(text); !strings.HasPrefix(wrong, "rows.yaml: ") {
			t.Errorf("%q became %+v: %q", text, rows, wrong)
		}
	}
}
