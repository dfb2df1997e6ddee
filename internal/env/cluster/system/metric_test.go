package system

import "testing"

// TestAMetricHasItsOwnLine: the sum is read, not what stands beside it, and a server that has it
// not is no server that woke none.
func TestAMetricHasItsOwnLine(t *testing.T) {
	const sum, text = "zk_sum_node_deleted_watch_count", "# HELP events_total Number of events\n" +
		"zk_cnt_node_deleted_watch_count\t2\nzk_sum_node_deleted_watch_count\t14\nevents_total 1.5e+06\n"
	if n, err := metric(text, sum); n != 14 || err != nil {
		t.Errorf("%d, %v, not 14", n, err)
	}
	if n, err := metric(text, "events_total"); n != 1_500_000 || err != nil {
		t.Errorf("%d, %v, not 1.5 million", n, err)
	}
	if n, err := metric(text, "zk_sum"); err == nil {
		t.Errorf("%d of what the server does not count", n)
	}
}
