package nemesis

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/parser"
)

// Schedule is a fault from a file in YAML or JSON, as docs/formats.md has it.
type Schedule struct {
	Line string `yaml:"line"` // what it does
	// what it needs; "": one Redis, or the independent masters that the lock uses
	Topology string `yaml:"topology"`
	Replicas int    `yaml:"replicas"` // behind each independent master
	// of the clients' Redis connections; "": the plan's own
	ClientTimeout string `yaml:"client_timeout"`
	// how many steps must hit; nil: those that are aimed, or else any one
	Hits    *int      `yaml:"hits"`
	Strikes *int      `yaml:"strikes"` // what files of the first version call it
	Steps   []written `yaml:"steps"`

	file  string
	lines []int // on which each step begins
}

// isFile tells a file from a name.
func isFile(spec string) bool {
	return strings.ContainsAny(spec, `/\`) || slices.Contains([]string{".json", ".yaml", ".yml"},
		filepath.Ext(spec))
}

// maxSchedule bounds a file, in bytes.
const maxSchedule = 1 << 20

// ReadSchedule reads a file. The error names the line.
func ReadSchedule(file string) (*Schedule, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("--nemesis names a file that cannot be read: %w", err)
	}
	return DecodeSchedule(file, b)
}

// DecodeSchedule reads what a file holds. What depends on the plan is checked when the plan is
// made.
func DecodeSchedule(file string, b []byte) (s *Schedule, err error) {
	defer func() { // of the YAML library: files come from anywhere
		if p := recover(); p != nil {
			s, err = nil, fmt.Errorf("%s: it cannot be read: %v", file, p)
		}
	}()
	s = &Schedule{file: file}
	if len(b) > maxSchedule {
		return nil, fmt.Errorf("%s: a schedule of %d bytes is too long; at most %d are read", file,
			len(b), maxSchedule)
	}
	if err := yaml.NewDecoder(bytes.NewReader(b), yaml.Strict()).Decode(s); err != nil &&
		!errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s:%s", file, oneLine(err))
	}
	if len(s.Steps) == 0 {
		return nil, fmt.Errorf("%s:1: it has no steps", file)
	}
	if !slices.Contains([]string{"", Single, Failover, Sentinel, Independent}, s.Topology) {
		return nil, fmt.Errorf("%s: unknown topology %q; there are: %s, %s, %s, %s", file, s.Topology,
			Single, Failover, Sentinel, Independent)
	}
	if s.Replicas < 0 || s.Replicas > 1 || s.Replicas == 1 && s.Topology != Independent {
		return nil, fmt.Errorf("%s: replicas is %d; with the topology %s it is 0 or 1", file, s.Replicas,
			Independent)
	}
	s.locate(b)
	return s, nil
}

// oneLine is an error of the decoder as "line:column: what".
func oneLine(err error) string {
	first, _, _ := strings.Cut(strings.TrimSpace(yaml.FormatError(err, false, false)), "\n")
	if at, what, ok := strings.Cut(strings.TrimPrefix(first, "["), "] "); ok &&
		strings.HasPrefix(first, "[") {
		return at + ": " + what
	}
	return " " + first
}

// locate finds the line of each step.
func (s *Schedule) locate(b []byte) {
	s.lines = make([]int, len(s.Steps))
	f, err := parser.ParseBytes(b, 0)
	if err != nil {
		return // it was read
	}
	for i := range s.Steps {
		p, err := yaml.PathString("$.steps[" + strconv.Itoa(i) + "]")
		if err != nil {
			return
		}
		if n, err := p.FilterFile(f); err == nil && n != nil && n.GetToken() != nil {
			s.lines[i] = n.GetToken().Position.Line
		}
	}
}

// wrong says on which line a step is wrong.
func (s *Schedule) wrong(err error) error {
	var step *StepError
	if errors.As(err, &step) && s.lines[step.Step] > 0 {
		return fmt.Errorf("%s:%d: %w", s.file, s.lines[step.Step], err)
	}
	return fmt.Errorf("%s: %w", s.file, err)
}
