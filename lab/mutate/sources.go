package mutate

import (
	"fmt"
	"hash/fnv"
	"io/fs"
	"path"
	"strings"
)

// source is a file of the locks, and the lock that its mutants are asked of: the one that it was
// written for. What several locks share is asked of the first of them.
type source struct {
	lock, file string
	not        []string // types in it that are not the lock's
}

// sources is the closed list. It leaves out the controls, the locks that cannot be used as they
// were posted, and the loop around an attempt, which is not the documents'. Redlock is not asked
// yet: its runs take ten times as long as those of the others.
var sources = []source{
	{lock: "setnx", file: "setnx.go"},
	{lock: "setnx-del-expired", file: "setnx_del_expired.go"},
	{lock: "setnx-expire", file: "setnx_expire.go"},
	{lock: "setnx-expire-lua", file: "setnx_expire_lua.go"},
	{lock: "setnx-expire-lua", file: "setnx_expire.lua"},
	{lock: "getset", file: "getset.go"},
	{lock: "getset-java", file: "getset_java.go"},
	{lock: "getset-redispy", file: "getset_redispy.go"},
	{lock: "setpx-del", file: "setpx_del.go"},
	{lock: "setpx-getdel", file: "setpx_getdel.go", not: []string{"setpxGetdelPosted"}},
	{lock: "token-lua", file: "token_lua.go"},
	{lock: "token-lua", file: "release.lua"},
	{lock: "redisson", file: "redisson.go"},
	{lock: "redisson", file: "redisson_wait.go"},
	{lock: "redisson", file: "watchdog.go"},
	{lock: "redisson", file: "redisson_acquire.lua"},
	{lock: "redisson", file: "redisson_renew.lua"},
	{lock: "redisson", file: "redisson_unlock.lua"},
	{lock: "redisson-spin", file: "redisson_spin.go"},
	{lock: "redisson-spin", file: "redisson_spin_unlock.lua"},
	{lock: "redisson-multi", file: "redisson_multi.go"},
	{lock: "redisson-fenced", file: "redisson_fenced.go"},
	{lock: "redisson-fenced", file: "redisson_fenced_acquire.lua"},
}

// Derive makes all mutants of the locks whose source is in a folder, in the order of the table and
// of the text. A mutant that would not compile is none.
func Derive(folder string, files fs.FS) ([]Mutant, error) {
	goes, err := load(folder, files)
	if err != nil {
		return nil, err
	}
	var all []Mutant
	for _, s := range sources {
		var found []Mutant
		if path.Ext(s.file) == ".lua" {
			text, err := fs.ReadFile(files, s.file)
			if err != nil {
				return nil, err
			}
			if found, err = scriptMutants(string(text)); err != nil {
				return nil, fmt.Errorf("%s: %w", s.file, err)
			}
		} else if found, err = goes.mutants(s); err != nil {
			return nil, err
		}
		for i := range found {
			found[i].Lock, found[i].File = s.lock, s.file
			found[i].Old, found[i].New = oneLine(found[i].Old), oneLine(found[i].New)
		}
		all = append(all, found...)
	}
	number(all)
	return all, nil
}

// excluded reports whether a receiver's type is not the lock's.
func (s source) excluded(receiver string) bool {
	for _, n := range s.not {
		if strings.TrimPrefix(receiver, "*") == n {
			return true
		}
	}
	return false
}

// Choose takes one mutant of each operator in each file, by a hash of what it changes: a list that
// people can read, in which every operator has its turn in every file.
func Choose(all []Mutant) (chosen []Mutant) {
	best := map[string]uint32{}
	group := func(m Mutant) string { return m.File + "|" + m.Operator }
	for _, m := range all {
		if old, ok := best[group(m)]; !ok || m.hash() < old {
			best[group(m)] = m.hash()
		}
	}
	for _, m := range all {
		if best[group(m)] == m.hash() {
			chosen = append(chosen, m)
		}
	}
	return chosen
}

func (m Mutant) hash() uint32 {
	h := fnv.New32a()
	h.Write([]byte(m.Key()))
	return h.Sum32()
}
