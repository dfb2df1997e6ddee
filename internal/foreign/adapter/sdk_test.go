package adapter

import (
	"path/filepath"
	"testing"

	"github.com/lockbench/lockbench/adapters"
	"github.com/lockbench/lockbench/internal/dev/testenv"
)

// TestTheSameLockWithEachSDK asks the example of each SDK everything, as a lock and as a read-write
// lock. A language whose tools are not here is left out.
func TestTheSameLockWithEachSDK(t *testing.T) {
	testenv.Part(t, "redis")
	folders, err := filepath.Glob("../../../adapters/sdk/*/example")
	if err != nil || len(folders) != 7 {
		t.Fatal(folders, err)
	}
	for _, folder := range folders {
		a, err := adapters.Find(folder)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(a.Language, func(t *testing.T) {
			t.Parallel()
			if !testenv.Required("adapters") && (a.Missing() != nil || !a.IsSetUp()) {
				t.Skipf("not set up here: lockbench adapters setup %s", a.Dir)
			}
			in, err := adapters.Setup(t.Context(), a)
			if err != nil {
				t.Fatal(err)
			}
			for _, v := range a.Variants {
				t.Run(v.Name, func(t *testing.T) { asks(t, in, v.Name) })
			}
		})
	}
}
