package matrix

import (
	"strings"
	"testing"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/nemesis"
)

// TestWhatTheEnvironmentLacksIsNotPossible: a fault that an image cannot have is neither run nor
// shown as if it had been.
func TestWhatTheEnvironmentLacksIsNotPossible(t *testing.T) {
	o := Options{Rows: []string{"token-lua"}, Columns: []string{"pause", "clock-server+"},
		Unsupported: map[string]string{nemesis.NodeClock: "its server is static"}}
	tasks, err := o.Tasks()
	if err != nil {
		t.Fatal(err)
	}
	for _, task := range tasks {
		if task.Column == "clock-server+" {
			t.Errorf("%s is run", task.Aim.Nemesis)
		}
	}
	m, err := New(o, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range m.Cells {
		if possible := c.Column != "clock-server+"; possible != (c.Impossible == "") {
			t.Errorf("%s: not possible because %q", c.Column, c.Impossible)
		}
		if c.Impossible != "" && (!strings.Contains(c.Impossible, "its server is static") ||
			len(c.Properties) > 0 || c.Property("S").Found == checker.Valid) {
			t.Errorf("%s: %q, letters %v", c.Column, c.Impossible, c.Properties)
		}
	}
	if len(tasks) == 0 {
		t.Error("nothing is run")
	}
}

// TestWhatASystemLacksIsNotPossible: etcd has no replica that lags behind, and nothing is run that
// would only say so; a cell that cannot be run is not one of which nothing is known.
func TestWhatASystemLacksIsNotPossible(t *testing.T) {
	o := Options{Adapters: []string{"etcd-mutex ttl"}, Columns: []string{"pause", "failover", "busy"},
		Environment: "process"}
	tasks, err := o.Tasks()
	if err != nil {
		t.Fatal(err)
	}
	for _, task := range tasks {
		if task.Column == "failover" || task.Column == "busy" {
			t.Errorf("%s is run", task.Aim.Nemesis)
		}
	}
	m, err := New(o, nil)
	if err != nil {
		t.Fatal(err)
	}
	for column, want := range map[string]string{"pause": "", "failover": "no replica lags",
		"busy": "it cannot"} {
		c := m.Cell("etcd-mutex", column)
		if c == nil || (want == "") != (c.Impossible == "") || !strings.Contains(c.Impossible, want) {
			t.Errorf("%s: %+v", column, c)
		}
	}
	if len(tasks) == 0 {
		t.Error("nothing is run")
	}
}
