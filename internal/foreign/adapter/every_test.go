package adapter

import (
	"context"
	"testing"

	"github.com/lockbench/lockbench/adapters"
	"github.com/lockbench/lockbench/internal/dev/testenv"
)

// checkedVariant is what is asked of an adapter whose first variant is wrong as its document posted
// it, and so cannot answer rightly.
var checkedVariant = map[string]string{"posted-d000": "intended"}

// releasesForeign are the adapters whose late release takes the lock away from the client that has
// it now: as their documents posted them, or as docs/findings.md says of ShedLock. The check must
// find that.
var releasesForeign = map[string]bool{"posted-d000": true, "posted-d002": true, "posted-d004": true,
	"shedlock": true}

// renewsForeign are the adapters whose late extension gives the key of the next client a new lease:
// ShedLock does not look whose key it is.
var renewsForeign = map[string]bool{"shedlock": true}

// TestEveryAdapterIsAsItsManifestSays starts every library that is embedded and asks it everything.
// What is not set up here is left out: `lockbench adapters setup` fetches it.
func TestEveryAdapterIsAsItsManifestSays(t *testing.T) {
	for _, a := range adapters.All() {
		t.Run(a.Name, func(t *testing.T) {
			t.Parallel()
			testenv.Part(t, a.System)
			if !testenv.Required("adapters") && (a.Missing() != nil || !a.IsSetUp()) {
				t.Skipf("not set up here: lockbench adapters setup %s", a.Name)
			}
			in, err := adapters.Setup(t.Context(), a)
			if err != nil {
				t.Fatal(err)
			}
			asks(t, in, checkedVariant[a.Name])
		})
	}
}

// asks fails for each thing that is not as it must be. A machine that is busy may let a lease
// end between two questions: it is asked again twice.
func asks(t *testing.T, in adapters.Installed, variant string) {
	t.Helper()
	for try := 1; ; try++ {
		findings, err := Check(context.WithoutCancel(t.Context()), in, variant)
		if err != nil {
			t.Fatal(err)
		}
		wrong := false
		for _, f := range findings {
			right := f.OK || f.Optional
			if f.Asked == askedForeign && releasesForeign[in.Name] {
				right = f.Found == foreignReleased
			}
			if f.Asked == askedRenewal && renewsForeign[in.Name] {
				right = f.Found == foreignRenewed
			}
			if !right {
				wrong = true
				if try == 3 {
					t.Errorf("%s: %s", f.Asked, f.Found)
				}
			}
		}
		if !wrong || try == 3 {
			return
		}
	}
}
