package doctor

import "testing"

func TestABusyMachineIsSaid(t *testing.T) {
	for text, want := range map[string]Finding{
		"0.64 2.12 3.95 3/239 16":  {OK: true, Found: "0.6 on 2 processors"},
		"2.00 2.12 3.95 3/239 16":  {OK: true, Found: "2.0 on 2 processors"},
		"2.10 2.12 3.95 3/239 16":  {Found: "2.1 on 2 processors"},
		"17.25 9.10 3.95 3/239 16": {Found: "17.2 on 2 processors"},
		"":                         {OK: true, Found: "not known"},
	} {
		got := loadOf(text, 2)
		if got.OK != want.OK || got.Found != want.Found || got.OK != (got.Advice == "") {
			t.Errorf("%q: %+v", text, got)
		}
	}
}
