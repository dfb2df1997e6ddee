package main

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/lockbench/lockbench/reports/serve"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/campaign/gate"
	"github.com/lockbench/lockbench/internal/campaign/matrix"
	"github.com/lockbench/lockbench/internal/foreign/adapter"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/workloads"
)

// TestEveryLineOfTheFormatsPageIsReal decodes each example of docs/formats.md with the type that
// its section names, and refuses fields that the type does not know: the page and the code cannot
// drift apart.
func TestEveryLineOfTheFormatsPageIsReal(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/formats.md")
	if err != nil {
		t.Fatal(err)
	}
	section, lines, fenced := "", 0, false
	for line := range strings.Lines(string(page)) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "## "):
			section = strings.Fields(line)[1]
		case strings.HasPrefix(line, "```"):
			fenced = line == "```json"
		case fenced:
			lines++
			if err := decode(line, example(section, line)); err != nil {
				t.Errorf("%s: %v in %s", section, err, line)
			}
		}
	}
	if lines < 40 {
		t.Errorf("only %d examples were found", lines)
	}
}

// example is what a line of a section must decode into.
func example(section, line string) any {
	switch section {
	case "history.jsonl":
		if strings.HasPrefix(line, `{"type":"header"`) {
			return new(history.Header)
		}
		return new(history.Event)
	case "trace.jsonl":
		return new(history.Command)
	case "nodes/NODE.jsonl":
		return new(history.NodeCommand)
	case "plan.json":
		return new(harness.Plan)
	case "verdict.json":
		return new(checker.Verdict)
	case "A": // matrix, gate
		if strings.Contains(line, `"planned"`) {
			return new(gate.EntryResult)
		}
		if strings.Contains(line, `"acquire_p50"`) {
			return new(matrix.RowCost)
		}
		if strings.Contains(line, `"attempt"`) {
			return new(matrix.Result)
		}
		if strings.Contains(line, `"known"`) {
			return new(matrix.Cell)
		}
		if strings.Contains(line, `"jobs"`) {
			return new(matrix.Options)
		}
	case "Adapters":
		switch {
		case strings.HasPrefix(line, `{"do":"config"`):
			return new(adapter.Config)
		case strings.HasPrefix(line, `{"do":`):
			return new(adapter.Order)
		}
		return new(adapter.Answer)
	case "What": // serve lists
		return new(serve.Listing)
	case "The": // worker protocol
		if strings.HasPrefix(line, `{"do":`) {
			return new(workloads.Order)
		}
		return new(workloads.Report)
	}
	return new(json.RawMessage)
}

func decode(line string, into any) error {
	dec := json.NewDecoder(bytes.NewReader([]byte(line)))
	dec.DisallowUnknownFields()
	return dec.Decode(into)
}
