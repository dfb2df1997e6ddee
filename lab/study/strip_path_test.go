package study

import "testing"

// TestStripPath: the pages name no directory of the machine that measured them.
func TestStripPath(t *testing.T) {
	const dir = "runs/mine/pause-1"
	for text, want := range map[string]string{
		"":        "",
		"no file": "no file",
		"its log is /x/store/runs/mine/pause-1/logs/c1.log": "its log is runs/mine/pause-1/logs/c1.log",
		"see /x/runs/mine/pause-1/logs/c1.log, then":        "see runs/mine/pause-1/logs/c1.log, then",
		"/x/runs/mine/pause-1/plan.json":                    "runs/mine/pause-1/plan.json",
		"/x/runs/other/pause-1/plan.json":                   "/x/runs/other/pause-1/plan.json",
	} {
		if got := stripPath(text, dir); got != want {
			t.Errorf("%q gives %q, not %q", text, got, want)
		}
	}
}
