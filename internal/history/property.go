package history

import (
	"slices"
	"strings"
)

// The properties that a history can be judged by, with their names in flags, files and verdicts.
// The table propertyRows has their rows.
const (
	MutualExclusion = "S"
	LeaseExclusion  = "L"
	OwnerRelease    = "O"
	Orphan          = "R"
	Deadlock        = "D"
	Outage          = "A"
	Fencing         = "F"
	LostUpdate      = "U"
	Reentry         = "E"
	Validity        = "V"
	Notice          = "N"
)

// PropertyRow is the description of a property. Only its checker is elsewhere.
type PropertyRow struct {
	Name    string // the letter
	Meaning string // the meaning of valid
	Broken  string // the meaning of violated, as in the summary
	Short   string // the same as a heading; "" if the witness' holds make the heading
	Default bool   // run judges it unless --properties says otherwise
	// it is judged by default but decides a run only if --properties names it
	Reported bool
	Matrix   bool // the matrix has it
}

// propertyRows lists the properties in their usual order.
var propertyRows = []PropertyRow{
	{Name: MutualExclusion, Default: true, Matrix: true,
		Meaning: "two clients are never inside at once",
		Broken:  "two clients were inside at once"},
	{Name: LeaseExclusion, Default: true, Matrix: true,
		Meaning: "two clients are never inside at once while both leases are valid",
		Broken:  "two clients were inside while both leases were valid"},
	{Name: OwnerRelease, Default: true, Matrix: true,
		Meaning: "only the owner releases and renews",
		Broken:  "a client released a lock that was another's",
		Short:   "another's lock is released"},
	{Name: Orphan, Default: true, Reported: true, Matrix: true,
		Meaning: "no client that lives on leaves its key behind",
		Broken:  "the lock stayed taken although no client held it",
		Short:   "the key is left behind"},
	{Name: Deadlock, Default: true, Matrix: true,
		Meaning: "some live client that waits is granted the lock in time, when no fault is under way",
		Broken:  "no client that waited was granted the lock in time",
		Short:   "no client that waits gets in"},
	{Name: Outage, Default: true, Matrix: true, Reported: true,
		Meaning: "some client is granted the lock in time also while a fault lasts",
		Broken:  "no client was granted the lock for too long while a fault lasted",
		Short:   "no client gets in under the fault"},
	{Name: Fencing, Default: true, Matrix: true,
		Meaning: "fencing tokens grow",
		Broken:  "fencing tokens did not grow",
		Short:   "the token does not grow"},
	{Name: LostUpdate, Default: true,
		Meaning: "no update of the guarded resource is lost",
		Broken:  "an update of the guarded resource was lost",
		Short:   "an update is lost"},
	{Name: Reentry, Default: true, Matrix: true,
		Meaning: "the lock is held until as many releases as acquires",
		Broken:  "re-entry did not count right",
		Short:   "re-entry fails"},
	{Name: Validity, Default: true, Matrix: true,
		Meaning: "a grant is good when it is delivered",
		Broken:  "a grant was not good when it was delivered",
		Short:   "the grant is not good"},
	{Name: Notice, Default: true, Reported: true,
		Meaning: "a holder is told that its hold is over before another client is inside",
		Broken:  "a holder had not been told that its hold was over when another client was inside",
		Short:   "the holder is told too late"},
}

// FindProperty returns the row of a property, or false if there is none.
func FindProperty(name string) (PropertyRow, bool) {
	i := slices.IndexFunc(propertyRows, func(r PropertyRow) bool { return r.Name == name })
	if i < 0 {
		return PropertyRow{}, false
	}
	return propertyRows[i], true
}

// Distinct returns the names in their order, each once. It does not change its argument.
func Distinct(names []string) (out []string) {
	for _, name := range names {
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// Properties returns the names of all properties. The caller may keep and change the slice.
func Properties() []string { return propertiesThat(func(PropertyRow) bool { return true }) }

// DefaultProperties returns the names of the properties that a run judges by default. The caller
// may keep and change the slice.
func DefaultProperties() []string {
	return propertiesThat(func(r PropertyRow) bool { return r.Default })
}

// ReportedProperties returns the names of the properties that a run judges by default and that do
// not decide it. The caller may keep and change the slice.
func ReportedProperties() []string {
	return propertiesThat(func(r PropertyRow) bool { return r.Default && r.Reported })
}

// MatrixProperties returns the names of the properties in the matrix. The caller may keep and
// change the slice.
func MatrixProperties() []string {
	return propertiesThat(func(r PropertyRow) bool { return r.Matrix })
}

func propertiesThat(has func(PropertyRow) bool) (names []string) {
	for _, r := range propertyRows {
		if has(r) {
			names = append(names, r.Name)
		}
	}
	return names
}

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
