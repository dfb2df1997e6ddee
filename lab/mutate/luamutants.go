package mutate

import (
	"slices"
	"strconv"
	"strings"
)

// script is a tokenized Lua script. It collects its mutants.
type script struct {
	text  string
	words []lexeme
	found []Mutant
}

// scriptMutants returns the mutants of a script.
func scriptMutants(text string) ([]Mutant, error) {
	words, err := lexemes(text)
	if err != nil {
		return nil, err
	}
	s := &script{text: text, words: words}
	for i := range words {
		switch words[i].text {
		case "call", "pcall":
			s.call(i)
		case "if":
			s.condition(i+1, s.find(i, "then"))
		}
		s.comparison(i)
		s.number(i)
	}
	return s.found, nil
}

// note records a mutant that replaces the words from i up to but excluding j.
func (s *script) note(operator string, i, j int, text string) {
	from, to := s.words[i].from, s.words[j-1].to
	s.found = append(s.found, Mutant{Operator: operator, Old: s.text[from:to], New: text,
		Line: 1 + strings.Count(s.text[:from], "\n"), edits: []edit{{from, to, text}}})
}

// find returns the index of the next occurrence of a word, or the number of words.
func (s *script) find(i int, word string) int {
	for ; i < len(s.words) && s.words[i].text != word; i++ {
	}
	return i
}

// closing returns the index of the bracket that closes the one at word i, or the number of words.
func (s *script) closing(i int) int {
	for depth := 0; i < len(s.words); i++ {
		switch s.words[i].text {
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return i
}

// textOf returns the text of the words from i up to but excluding j.
func (s *script) textOf(i, j int) string {
	return s.text[s.words[i].from:s.words[j-1].to]
}

// call changes the command of a redis.call. Word i is the last word of the function's name.
func (s *script) call(i int) {
	if i < 2 || i+1 >= len(s.words) || s.words[i+1].text != "(" {
		return
	}
	begin, end := i-2, s.closing(i+1)
	if end >= len(s.words) {
		return
	}
	args := s.split(i+2, end)
	for k := 1; k < len(args); k++ {
		was := s.textOf(begin, end+1)
		from := s.words[args[k-1][1]-1].to - s.words[begin].from
		to := s.words[args[k][1]-1].to - s.words[begin].from
		s.note(DropArgument, begin, end+1, apply(was, []edit{{from, to, ""}}))
	}
	for k := 2; k < len(args); k++ {
		s.argument(args[0], args[k])
	}
	s.command(begin, end+1)
}

// split splits the words from i up to j at commas outside of brackets.
func (s *script) split(i, j int) (parts [][2]int) {
	for from := i; from < j; {
		to, depth := from, 0
		for ; to < j && (depth > 0 || s.words[to].text != ","); to++ {
			depth += strings.Count("([{", s.words[to].text) - strings.Count(")]}", s.words[to].text)
		}
		if to > from {
			parts = append(parts, [2]int{from, to})
		}
		from = to + 1
	}
	return parts
}

// argument replaces a variable argument of a command by a constant, and scales a lease.
func (s *script) argument(command, a [2]int) {
	variable := s.words[a[0]].text == "ARGV" || s.words[a[0]].text == "KEYS"
	if !variable {
		return
	}
	s.note(ConstantForOne, a[0], a[1], "'1'")
	if strings.Contains(s.words[command[0]].text, "expire") {
		s.note(ScaleNumber, a[0], a[1], s.textOf(a[0], a[1])+" * 10")
		s.note(ScaleNumber, a[0], a[1], "math.floor("+s.textOf(a[0], a[1])+" / 10)")
	}
}

// command drops, repeats and moves the command from word i up to j.
func (s *script) command(i, j int) {
	switch {
	case !s.begins(i):
		if s.words[i-1].text == "return" {
			s.note(DropCommand, i, j, "1")
		}
		return
	case j < len(s.words) && s.words[j].text == ";":
		j++
	}
	text := s.textOf(i, j)
	s.note(DropCommand, i, j, "")
	s.note(RepeatCommand, i, j, text+" "+text)
	if k := s.nextCommand(j); k > j {
		s.note(MoveCommand, i, k, s.textOf(j, k)+" "+text)
	}
}

// begins reports whether word i starts a statement.
func (s *script) begins(i int) bool {
	return i == 0 || slices.Contains([]string{";", "then", "else", "do", "end"}, s.words[i-1].text)
}

// nextCommand returns the end of the statement that starts with word i if it is a command, and i
// otherwise.
func (s *script) nextCommand(i int) int {
	if i+3 >= len(s.words) || s.words[i].text != "redis" {
		return i
	}
	end := s.closing(i + 3)
	if end+1 < len(s.words) && s.words[end+1].text == ";" {
		return end + 2
	}
	return i
}

// condition drops the condition of an if, between words i and j, and each part of it.
func (s *script) condition(i, j int) {
	if j >= len(s.words) || j <= i {
		return
	}
	s.note(DropComparison, i, j, "true")
	s.note(DropComparison, i, j, "false")
	if s.words[i].text == "(" && s.closing(i) == j-1 {
		i, j = i+1, j-1
	}
	for k, depth := i, 0; k < j; k++ {
		depth += strings.Count("([{", s.words[k].text) - strings.Count(")]}", s.words[k].text)
		if w := s.words[k].text; depth == 0 && (w == "or" || w == "and") && k > i && k+1 < j {
			s.note(DropComparison, i, j, s.textOf(k+1, j))
			s.note(DropComparison, i, j, s.textOf(i, k))
		}
	}
}

// signs maps comparisons to their negations. Bounds maps them to the comparison that treats
// equality the other way.
var (
	signs  = map[string]string{"==": "~=", "~=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
	bounds = map[string]string{"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
)

// comparison negates a comparison and moves its bound.
func (s *script) comparison(i int) {
	w := s.words[i].text
	if signs[w] == "" || i == 0 || i+1 >= len(s.words) {
		return
	}
	from, to := s.operands(i)
	left, right := s.textOf(from, i), s.textOf(i+1, to)
	s.note(Negate, from, to, left+" "+signs[w]+" "+right)
	if bounds[w] != "" {
		s.note(OffByOne, from, to, left+" "+bounds[w]+" "+right)
	}
}

// operands returns the range of a comparison: a call or a name before it, and one expression after
// it.
func (s *script) operands(i int) (from, to int) {
	from = i - 1
	if s.words[from].text == ")" {
		for from > 0 && s.closing(from) != i-1 {
			from--
		}
		for from > 0 && (s.words[from-1].text == "." || wordLen(s.words[from-1].text) > 0 &&
			s.words[from].text != "redis") {
			from--
		}
	}
	to = i + 2
	if to < len(s.words) && s.words[to].text == "[" {
		to = s.closing(to) + 1
	}
	return from, min(to, len(s.words))
}

// number adds one to a number unless it is an index.
func (s *script) number(i int) {
	v, err := strconv.Atoi(s.words[i].text)
	if err != nil || i > 0 && s.words[i-1].text == "[" {
		return
	}
	s.note(OffByOne, i, i+1, strconv.Itoa(v+1))
}
