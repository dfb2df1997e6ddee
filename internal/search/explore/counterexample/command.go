package counterexample

import (
	"crypto/sha1"
	"encoding/hex"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
)

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
