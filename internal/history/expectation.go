package history

import (
	"slices"
	"strings"
)

// An Expectation is the expected result of a run, as --expect, plans and headers write it: "valid",
// "violated", or letters that must all be violated ("S", "S,L", "SL"). With the prefix "exactly:"
// nothing else may be violated. "starved" expects that a client starves. Otherwise, without
// letters, it is Valid or any violation.
type Expectation struct {
	Valid   bool
	Starved bool
	Exactly bool
	Letters []string
}

const (
	exactly = "exactly:"
	starved = "starved"
)

// ParseExpectation reads an expectation. Empty is valid. Whether there are such letters it does not
// say.
func ParseExpectation(text string) (e Expectation) {
	switch text {
	case "", "valid":
		return Expectation{Valid: true}
	case starved:
		return Expectation{Starved: true}
	case "violated":
		return e
	}
	letters, exact := strings.CutPrefix(text, exactly)
	e.Exactly = exact
	divides := func(r rune) bool { return r == ',' || r == ' ' }
	for _, word := range strings.FieldsFunc(letters, divides) {
		names := []string{word}
		if strings.ToUpper(word) == word {
			names = strings.Split(word, "") // "SL"
		}
		e.Letters = append(e.Letters, Distinct(names)...)
	}
	return e
}

// String writes what ParseExpectation reads.
func (e Expectation) String() string {
	switch letters := strings.Join(e.Letters, ","); {
	case e.Valid:
		return "valid"
	case e.Starved:
		return starved
	case e.Exactly:
		return exactly + letters
	case letters == "":
		return "violated"
	default:
		return letters
	}
}

// Names reports whether the expectation is about this property.
func (e Expectation) Names(property string) bool { return slices.Contains(e.Letters, property) }
