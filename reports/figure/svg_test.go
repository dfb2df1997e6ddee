package figure

import (
	"os"
	"testing"

	"github.com/lockbench/lockbench/reports/reporttest"
)

// TestLeanKeepsWhatIsDrawn joins lines or areas of one style, and nothing else.
func TestLeanKeepsWhatIsDrawn(t *testing.T) {
	const line, shining = `" style="fill:none;stroke:#A85D00" />`,
		`" style="fill:none;stroke:#A85D00;stroke-opacity:0.5" />`
	const framed = `<path d="M1,1L2,2Z" style="fill:#FEFEFE;stroke:#A85D00" />`
	for _, c := range []struct{ svg, want string }{
		{`<path d="M1,1L2,2` + line + "\n" + `<path d="M3,3L4,4` + line + "\n</g>\n",
			`<path d="M1,1L2,2M3,3L4,4` + line + "\n</g>\n"},
		{`<path d="M1,1L2,2` + shining + "\n" + `<path d="M1,2L2,1` + shining + "\n</g>\n",
			`<path d="M1,1L2,2` + shining + "\n" + `<path d="M1,2L2,1` + shining + "\n</g>\n"},
		{`<path d="M1,1L2,2` + line + "\n" + `<path d="M0,0L9,0L9,9Z" style="fill:#FEFEFE" />` + "\n" +
			`<path d="M3,3L4,4` + line + "\n</g>\n",
			`<path d="M1,1L2,2` + line + "\n" + `<path d="M0,0L9,0L9,9Z" style="fill:#FEFEFE" />` + "\n" +
				`<path d="M3,3L4,4` + line + "\n</g>\n"},
		{`<path d="M1,1L2,2Z" style="fill:#A85D00" />` + "\n" +
			`<path d="M3,3L4,4Z" style="fill:#A85D00" />` + "\n</g>\n",
			`<path d="M1,1L2,2ZM3,3L4,4Z" style="fill:#A85D00" />` + "\n</g>\n"},
		{framed + "\n" + framed + "\n</g>\n", framed + "\n" + framed + "\n</g>\n"},
		{"<text x=\"1\"\n\tstyle=\"font-family:Liberation Sans;font-variant:normal;font-weight:normal;" +
			"font-style:normal;font-size:9px\">kill n0</text>\n",
			"<text x=\"1\" style=\"font-family:Liberation Sans;font-size:9px\">kill n0</text>\n"},
	} {
		if got := string(lean([]byte(c.svg))); got != c.want {
			t.Errorf("%s\nbecame\n%s\nwant\n%s", c.svg, got, c.want)
		}
	}
}

// TestFewGrantsHaveFewPlots keeps on disk the plots of the report, and no others.
func TestFewGrantsHaveFewPlots(t *testing.T) {
	dir := t.TempDir()
	r := reporttest.NewRun(t, reporttest.Scene{Clients: 2, Cycles: 2, Fail: true})
	if err := Write(dir, reporttest.View(t, r)); err != nil {
		t.Fatal(err)
	}
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != 1 || files[0].Name() != "holds.svg" {
		t.Errorf("plots of a short run: %v, %v", files, err)
	}
}
