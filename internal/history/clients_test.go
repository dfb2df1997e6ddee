package history

import "testing"

// TestDurationsAreTakenByTurns: the harness, which sends commands of its own, has none of them.
func TestDurationsAreTakenByTurns(t *testing.T) {
	var two, none Durations
	if err := two.UnmarshalText([]byte("1s, 3s")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		of     Durations
		client int
		want   string
	}{
		{two, 0, "1s"}, {two, 1, "3s"}, {two, 4, "1s"}, {two, Harness, "7s"}, {none, 1, "7s"},
	} {
		if got := c.of.ForClient(c.client, Duration(7e9)).String(); got != c.want {
			t.Errorf("%v, client %d: %s, not %s", c.of, c.client, got, c.want)
		}
	}
}
