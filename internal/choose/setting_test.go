package choose

import (
	"strings"
	"testing"

	"github.com/lockbench/lockbench/impls"
	"github.com/lockbench/lockbench/internal/harness"
)

// TestARunHasItsSetting checks which settings of the record a plan has.
func TestARunHasItsSetting(t *testing.T) {
	record, err := Recorded()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		p    harness.Plan
		want string
	}{
		{harness.Plan{Settings: impls.Settings{WaitReplicas: 1}}, "--wait-replicas 1, with one replica"},
		{harness.Plan{Settings: impls.Settings{WaitReplicas: 1}, Replicas: 2},
			"--wait-replicas 1, with two replicas"},
		{harness.Plan{Settings: impls.Settings{WaitReplicas: 2}, Replicas: 2},
			"--wait-replicas 2, with two replicas"},
		{harness.Plan{}, ""},
	} {
		var got []string
		for _, m := range record.Settings {
			if m.in(c.p) {
				got = append(got, m.Name)
			}
		}
		if strings.Join(got, "; ") != c.want {
			t.Errorf("%+v: %q", c.p, got)
		}
	}
}

// TestAHelpSaysHowFarItWasMeasured wants a disk that helped against kill -9 not to be taken for one
// that helps when the machine loses power.
func TestAHelpSaysHowFarItWasMeasured(t *testing.T) {
	said := 0
	for _, h := range helps("token-lua", harness.Plan{Nemesis: "restart"}) {
		if strings.Contains(h.Mitigation, "appendfsync") && h.Helped() {
			said++
			if !strings.Contains(h.Note, "kill -9 of the process") {
				t.Errorf("%s: %q", h.Mitigation, h.Note)
			}
		}
	}
	if said != 2 {
		t.Errorf("%d disks", said)
	}
}
