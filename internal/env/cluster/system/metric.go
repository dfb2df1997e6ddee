package system

import (
	"fmt"
	"strconv"
	"strings"
)

// metric finds a count among the metrics of a server. Each line has a name and a value.
func metric(text, name string) (int64, error) {
	for line := range strings.Lines(text) {
		if w := strings.Fields(line); len(w) == 2 && w[0] == name {
			value, err := strconv.ParseFloat(w[1], 64) // etcd writes a million as 1e+06
			return int64(value), err
		}
	}
	return 0, fmt.Errorf("the server does not count %s", name)
}
