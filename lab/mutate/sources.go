package mutate

import (
	"fmt"
	"hash/fnv"
	"io/fs"
	"path"
	"strings"
)

// source is a file of the locks and the lock that tests its mutants. The file was written for that
// lock, or it is the first of several that share the file.
type source struct {
	lock, file string
	not        []string // types in the file that do not belong to the lock
}

// sources lists all files. It omits the controls and the posted locks that cannot be used. It omits
// the retry loop because no document contains it, and Redlock because its runs take ten times as
// long as the others.
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

// Derive returns all mutants of the locks in a directory that compile, in the order of the table
// and of the text.
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

// excluded reports whether a receiver's type does not belong to the lock.
func (s source) excluded(receiver string) bool {
	for _, n := range s.not {
		if strings.TrimPrefix(receiver, "*") == n {
			return true
		}
	}
	return false
}

// Choose returns one mutant of each operator in each file, selected by a hash of its key. This
// keeps the list short enough to read.
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
