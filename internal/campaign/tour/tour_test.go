package tour

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the tutorial again")

// TestTheTutorialIsWhatTheTourRuns holds the pages to the steps.
func TestTheTutorialIsWhatTheTourRuns(t *testing.T) {
	for language, name := range map[string]string{"en": "../../../docs/tutorial.md",
		"zh": "../../../docs/tutorial.zh.md"} {
		var b bytes.Buffer
		if err := writeMarkdown(&b, language); err != nil {
			t.Fatal(err)
		}
		if *update {
			if err := os.WriteFile(name, b.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		have, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(b.String(), string(have)); d != "" {
			t.Errorf("%s (-steps +page); go test ./internal/campaign/tour -update writes it:\n%s", name, d)
		}
	}
}

// cover is the text of the tutorial's page around its steps in one language.
type cover struct{ title, intro, story, told, see, end string }

var covers = map[string]cover{
	"en": {
		title: "Tutorial: from two clients and one key to a lock of your own",
		intro: "Each step has a command, its result, and the reason. `lockbench tour` runs them one after\n" +
			"the other: on real Redis where there is one, and with `--env sim` in the simulator, as\n" +
			"the gate at the end always. A run ends with the path of its report: open it, and step\n" +
			"through what happened with ← and →.\n\nThe stories come from [the source documents]" +
			"(locks/documents.md), in their own words.\nThis page in [Chinese](tutorial.zh.md).",
		story: "The document (%s):", told: "It says: ", see: "**What you see.** ",
		end: "## Where to go on\n\n`lockbench choose --fault failover --fault pause` says which locks " +
			"remain for your faults.\n[verdicts.md](../lab/results/verdicts.md) has all locks and faults, " +
			"[claims.md](../lab/results/claims.md) what the documents claim,\nand [adding-an-adapter.md]" +
			"(adding-an-adapter.md) how a lock of yours, in any language, is run.\n",
	},
	"zh": {
		title: "教程：从两个客户端和一个键，到你自己的锁",
		intro: "每一步都有一条命令、它展示的现象，以及原因。`lockbench tour --lang zh` 会依次执行这些命令：\n" +
			"本机有 Redis 时在真实的 Redis 上运行，加上 `--env sim` 则在模拟器中运行；最后两步的 gate 总是在模拟器中运行。\n" +
			"每次运行结束时会打印报告的路径：打开报告，用 ← 和 → 逐步查看发生了什么。\n" + english + "\n\n" +
			"这些故事出自[原始文档](locks/documents.md)，引文保留原话。本页另有[英文版](tutorial.md)。",
		story: "文档（%s）：", told: "", see: "**你会看到。** ",
		end: "## 接下来\n\n`lockbench choose --fault failover --fault pause` 会告诉你，在你的故障下还剩哪些锁。\n" +
			"[verdicts.md](../lab/results/verdicts.md) 列出所有锁和故障，" +
			"[claims.md](../lab/results/claims.md) 列出文档的说法，\n" +
			"[adding-an-adapter.md](adding-an-adapter.md) 说明怎样运行你自己的锁（任何语言）。\n",
	},
}

// writeMarkdown writes the tutorial in a language.
func writeMarkdown(w io.Writer, language string) error {
	f := covers[language]
	var b strings.Builder
	fmt.Fprintf(&b, "<!-- written by go test ./internal/campaign/tour -update -->\n# %s\n\n%s\n",
		f.title,
		f.intro)
	for i, s := range steps() {
		t := s.In(language)
		fmt.Fprintf(&b, "\n## %d. %s\n\n", i+1, t.Title)
		if s.Quote != "" {
			source := fmt.Sprintf("[%s](%s)", s.Source, strings.TrimPrefix(s.Page(), "docs/"))
			fmt.Fprintf(&b, f.story+"\n\n> %s\n\n", source,
				strings.ReplaceAll(strings.TrimSpace(s.Quote), "\n", "\n> "))
			if t.Told != "" {
				b.WriteString(f.told)
			}
		}
		if t.Told != "" {
			fmt.Fprintf(&b, "%s\n\n", strings.TrimSpace(t.Told))
		}
		fmt.Fprintf(&b, "```\nlockbench %s\n", strings.Join(s.Args(), " "))
		if s.Name != "" {
			fmt.Fprintf(&b, "# = lockbench run %s --expect %s\n", s.Run, s.Expect)
		}
		fmt.Fprintf(&b, "```\n\n%s%s\n", f.see, strings.TrimSpace(t.See))
	}
	b.WriteString("\n" + f.end)
	_, err := io.WriteString(w, b.String())
	return err
}

func TestEveryStepIsWhole(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range Steps() {
		what := strings.Join(s.Args(), " ")
		if seen[what] {
			t.Errorf("%s is there twice", what)
		}
		seen[what] = true
		for _, language := range Languages() {
			if w := s.In(language); w.Title == "" || w.See == "" {
				t.Errorf("%s says nothing in %s", what, language)
			}
		}
		if s.Name != "" && (s.Source == "" || s.Quote == "" || s.Run == "" || s.Expect == "" ||
			len(s.Flags())%2 != 0) {
			t.Errorf("the story %s has no source, quote, run or expectation", s.Name)
		}
	}
	if _, ok := Story("p1p2p3"); !ok || len(Names()) < 10 {
		t.Errorf("the stories are %q", Names())
	}
}
