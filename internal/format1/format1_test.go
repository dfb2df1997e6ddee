package format1

import "testing"

func TestUpgrade(t *testing.T) {
	names := Names{"world": "environment", "requires.strikes": "hits", "strikes": "aimed"}
	for _, c := range []struct{ old, today string }{
		{`{"world":"sim","seed":18446744073709551615}`,
			`{"environment":"sim","seed":18446744073709551615}`},
		{`{"requires":{"strikes":1},"strikes":[{"strikes":2}]}`,
			`{"aimed":[{"aimed":2}],"requires":{"hits":1}}`},
		{`{"impl":"world"}`, `{"impl":"world"}`},
	} {
		got, err := Upgrade([]byte(c.old), names)
		if err != nil || string(got) != c.today {
			t.Errorf("%s\n got %s, %v\nwant %s", c.old, got, err, c.today)
		}
	}
	if _, err := Upgrade([]byte("{"), names); err == nil {
		t.Error("what is no JSON is accepted")
	}
}
