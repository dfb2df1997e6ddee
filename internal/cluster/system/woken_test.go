package system

import "testing"

// TestDeletionsAreAMetric: the sum is read, not the metrics beside it, and a server that has it not
// is no server that woke none.
func TestDeletionsAreAMetric(t *testing.T) {
	metrics := "zk_cnt_node_deleted_watch_count\t2\nzk_sum_node_deleted_watch_count\t14\n" +
		"zk_sum_node_changed_watch_count\t5\n"
	if n, err := deletions(metrics); n != 14 || err != nil {
		t.Errorf("%d, %v, not 14", n, err)
	}
	if n, err := deletions("zk_version\t3.8.0\n"); err == nil {
		t.Errorf("%d of a server that does not count", n)
	}
}
