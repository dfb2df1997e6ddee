package history

import (
	"slices"
	"strings"
)

// An Expectation is the expected result of a run in --expect, plans and headers: "valid",
// "violated", or letters that must all be violated ("S", "S,L", "SL"). With the prefix "exactly:"
// nothing else may be violated. "starved" expects that a client starves. Without letters, it is
// Valid or any violation.
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

// ParseExpectation reads an expectation. An empty text means valid. It does not check whether the
// letters exist.
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

// String returns the text that ParseExpectation reads.
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

// Names reports whether the expectation names the property.
func (e Expectation) Names(property string) bool { return slices.Contains(e.Letters, property) }
