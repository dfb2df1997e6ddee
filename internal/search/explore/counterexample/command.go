package counterexample

import (
	"crypto/sha1"
	"encoding/hex"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
)

// Render writes a command as one line. A script that is sent whole (EVAL) is named by its SHA-1, as
// EVALSHA names it; a word with blanks or quotes in it is quoted. Words reads the line.
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

// Words are the words of a command that Render has written.
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

// Greets reports whether go-redis sends a command by itself when it connects. No trace and no
// counterexample has such commands.
func Greets(command string) bool {
	switch strings.ToLower(command) {
	case "hello", "client", "auth", "select":
		return true
	}
	return false
}

// Quote is a string in double quotes that JSON, YAML and people can read.
func Quote(s string) string { return asJSON(s) }

// asJSON writes strings and steps, which can always be written, in one line, and leaves <, > and &
// as they are.
func asJSON(v any) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(v)
	return strings.TrimSuffix(b.String(), "\n")
}
