package proc

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Descendants returns the children of a process and their descendants. The children of a database
// lead process groups of their own.
func Descendants(pid int) (all []int) {
	lists, _ := filepath.Glob("/proc/" + strconv.Itoa(pid) + "/task/*/children")
	for _, l := range lists {
		text, _ := os.ReadFile(l)
		for word := range strings.FieldsSeq(string(text)) {
			if child, err := strconv.Atoi(word); err == nil {
				all = append(append(all, child), Descendants(child)...)
			}
		}
	}
	return all
}
