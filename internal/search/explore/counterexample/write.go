package counterexample

import (
	"bytes"
	"cmp"
	"crypto/sha1"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
	"text/template"

	"github.com/goccy/go-yaml"
	"github.com/lockbench/lockbench/internal/base/advice"
)

// nameLike matches values that need no quotes in YAML and are not numbers or booleans there.
var nameLike = regexp.MustCompile(`^(n[0-9]|acquire|granted|refused|released?|OK)$`)

//go:embed file.yaml.tmpl
var fileYAML string

var fileTemplate = template.Must(template.New("file").Funcs(template.FuncMap{
	"wrap": wrap, "section": section, "quote": Quote, "names": func(all map[string]int) []string {
		return slices.SortedFunc(maps.Keys(all), natural)
	}}).Parse(fileYAML))

// Write writes the file. It starts with a comment that explains the verdict. Write returns an error
// and writes nothing if Read would not read the file because it is too long.
func (c *Counterexample) Write(w io.Writer) error {
	if err := c.tooLong(); err != nil {
		return err
	}
	var b bytes.Buffer
	err := fileTemplate.Execute(&b, struct {
		*Counterexample
		Linked       bool
		Replay, Real string
	}{c, c.Plan.Adapter.Linked(), advice.Replay.Fill("FILE").Line,
		advice.ReplayReal.Fill("FILE").Line})
	if err == nil && b.Len() > maxFile {
		err = fmt.Errorf("a file of %d bytes; at most %d are read", b.Len(), maxFile)
	}
	if err == nil {
		_, err = b.WriteTo(w)
	}
	return err
}

// natural compares names so that the 9th message comes before the 10th.
func natural(a, b string) int {
	return cmp.Or(cmp.Compare(strings.TrimRight(a, "0123456789"), strings.TrimRight(b, "0123456789")),
		cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
}

// section writes a value as a block of YAML with the field names of its JSON.
func section(name string, v any) (string, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return "", err
	}
	block, err := yaml.JSONToYAML(text)
	all := name + ":\n"
	for line := range strings.Lines(string(block)) {
		all += "  " + line
	}
	return all, err
}

// Flow returns the step as the file stores it, as a YAML mapping in one line.
func (s Step) Flow() string {
	fields := []string{"at: " + s.At.String(), "kind: " + string(s.Kind)}
	text := func(name, value string) {
		switch {
		case value == "":
		case nameLike.MatchString(value):
			fields = append(fields, name+": "+value)
		default:
			fields = append(fields, name+": "+Quote(value))
		}
	}
	number := func(name string, value int) {
		if value != 0 {
			fields = append(fields, fmt.Sprintf("%s: %d", name, value))
		}
	}
	if s.Kind != Fault {
		fields = append(fields, fmt.Sprintf("client: %d", s.Client))
	}
	number("n", s.N)
	text("phase", s.Phase)
	number("seq", s.Seq)
	text("node", s.Node)
	text("command", s.Command)
	text("reply", s.Reply)
	text("err", s.Err)
	text("loss", string(s.Loss))
	if s.CalledOff {
		fields = append(fields, "called_off: true")
	}
	if s.Fault != nil {
		fields = append(fields, "fault: "+asJSON(s.Fault))
	}
	return "{" + strings.Join(fields, ", ") + "}"
}

// wrap breaks a text into lines of at most width bytes. A longer word gets its own line.
func wrap(text string, width int) (lines []string) {
	line := ""
	for _, w := range strings.Fields(text) {
		if line != "" && len(line)+1+len(w) > width {
			lines, line = append(lines, line), ""
		}
		if line != "" {
			line += " "
		}
		line += w
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}

// Render writes a command as one line. It names a script that is sent whole (EVAL) by its SHA-1, as
// EVALSHA does, and quotes words that contain blanks or quotes. Words parses the line.
func Render(args []string) string {
	words := slices.Clone(args)
	if len(words) > 1 && strings.EqualFold(words[0], "eval") {
		sum := sha1.Sum([]byte(words[1]))
		words[1] = "sha1:" + hex.EncodeToString(sum[:])
	}
	for i, w := range words {
		if !plainWord.MatchString(w) {
			words[i] = Quote(w)
		}
	}
	return strings.Join(words, " ")
}

var plainWord = regexp.MustCompile(`^[A-Za-z0-9_:.+/@=-]+$`)

// Words returns the words of a command that Render wrote.
func Words(line string) (words []string) {
	for line = strings.TrimLeft(line, " "); line != ""; line = strings.TrimLeft(line, " ") {
		if line[0] == '"' {
			dec := json.NewDecoder(strings.NewReader(line))
			var w string
			if dec.Decode(&w) == nil {
				words, line = append(words, w), line[dec.InputOffset():]
				continue
			}
		}
		w, rest, _ := strings.Cut(line, " ")
		words, line = append(words, w), rest
	}
	return words
}

// Greets reports whether go-redis sends a command by itself when it connects. Traces and
// counterexamples do not contain such commands.
func Greets(command string) bool {
	return slices.Contains([]string{"hello", "client", "auth", "select"}, strings.ToLower(command))
}

// Quote returns a string in double quotes that is valid JSON and YAML.
func Quote(s string) string { return asJSON(s) }

// asJSON writes a string or a step as JSON in one line and does not escape <, > and &. Encoding
// these types cannot fail.
func asJSON(v any) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(v)
	return strings.TrimSuffix(b.String(), "\n")
}
