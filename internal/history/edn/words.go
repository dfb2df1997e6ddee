package edn

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/internal/history"
)

// functions maps the words of histories to the operations that lockbench judges.
var functions = map[string]string{
	"acquire": history.Acquire, "lock": history.Acquire,
	"release": history.Release, "unlock": history.Release,
	"extend": history.ExtendOp, "refresh": history.ExtendOp, "renew": history.ExtendOp,
	"prolong": history.ExtendOp,
	"read":    history.ReadOp, "write": history.WriteOp,
	"cas": history.CasOp, "compare-and-set": history.CasOp,
}

// meaning translates the operations of clients to lockbench's names, and leaves out those that
// Options.Words excludes. It returns an error for an unknown operation.
func meaning(ops []operation, o Options) ([]operation, error) {
	said := maps.Clone(o.Words)
	if o.Lines != nil {
		said = maps.Clone(o.Lines.Words)
		maps.Copy(said, o.Words)
	}
	var strange *history.LineError
	words := map[string]int{}
	kept := ops[:0]
	for _, op := range ops {
		word := op.f
		op.typ = history.Type(translated(string(op.typ), said))
		if _, client := op.process.(int64); client {
			op.f = translated(op.f, said)
			if op.f == NoOperation || string(op.typ) == NoOperation {
				continue
			}
			op.f = functions[op.f]
		}
		if op.typ != history.Invoke && !op.typ.Completes() {
			return nil, &history.LineError{Line: op.line, Err: fmt.Errorf(
				"unknown type %q; types are invoke, ok, fail and info", op.typ)}
		}
		if op.f == "" {
			if words[word]++; strange == nil {
				strange = &history.LineError{Line: op.line}
			}
			continue
		}
		kept = append(kept, op)
	}
	if strange != nil {
		strange.Err = unknownWords(words)
		return nil, strange
	}
	if !o.Independent && !o.Pairs && allPairs(kept) {
		return nil, &history.LineError{Line: kept[0].line, Err: fmt.Errorf("every value is a pair; " +
			"if these are [key value], add --independent; if not, --independent=false")}
	}
	return kept, nil
}

func translated(word string, words map[string]string) string {
	if w, ok := words[word]; ok {
		return w
	}
	return word
}

// unknownWords returns an error that names the unknown operations and gives advice.
func unknownWords(words map[string]int) error {
	var named []string
	for _, w := range slices.Sorted(maps.Keys(words)) {
		named = append(named, fmt.Sprintf("%q (%d events)", w, words[w]))
	}
	first := slices.Min(slices.Collect(maps.Keys(words)))
	if words["txn"] > 0 {
		return fmt.Errorf("the operations %s are transactions, as elle has them; lockbench judges "+
			"locks and registers (elle-cli judges transactions)", strings.Join(named, ", "))
	}
	return fmt.Errorf("no model knows the operations %s; the known ones are acquire, release, "+
		"extend, read, write and cas. --read-as '%s=read' says what a word means, and "+
		"--read-as '%s=%s' leaves its "+
		"events out", strings.Join(named, ", "), first, first, NoOperation)
}

// allPairs reports whether each value of a client is a pair, as in jepsen.independent. It ignores
// cas, whose value is always a pair.
func allPairs(ops []operation) bool {
	seen := false
	for _, o := range ops {
		if _, client := o.process.(int64); !client || o.value == nil {
			continue
		}
		pair, ok := o.value.([]any)
		if ok && len(pair) == 2 && o.f == history.CasOp {
			pair, ok = pair[1].([]any)
		}
		if !ok || len(pair) != 2 {
			return false
		}
		seen = true
	}
	return seen
}
