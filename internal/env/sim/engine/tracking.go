package engine

import (
	"maps"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/internal/base/resp"
)

// tracking is the server's list of connections that want to hear when a key changes (CLIENT
// TRACKING).
type tracking struct {
	readers map[string][]*Session // by key: connections that have read it, in the order of reading
	all     []*Session            // connections that track, in the order of their CLIENT TRACKING ON
	changed map[string]*Session   // keys to broadcast, and whose command changed them
	after   []byte                // messages to the caller after the reply
	caller  *Session              // the connection whose command runs, or nil
}

func newTracking() tracking {
	return tracking{readers: map[string][]*Session{}, changed: map[string]*Session{}}
}

// pending reports whether there are messages to send after a command.
func (t *tracking) pending() bool { return len(t.changed) > 0 || t.after != nil }

// tracks are the tracking options of a connection.
type tracks struct {
	on, broadcast, optIn, optOut, noLoop bool
	prefixes                             []string
	caching                              bool // the next command is the exception of optIn or optOut
}

// track is CLIENT TRACKING.
func (c *call) track() {
	var t tracks
	switch strings.ToLower(c.args[2]) {
	case "on":
		t.on = true
	case "off":
	default:
		c.out.Error(syntax)
		return
	}
	problem := t.parse(c, c.args[3:])
	if problem == "" {
		problem = t.conflict(c.s.tracks)
	}
	if problem != "" {
		c.out.Error(problem)
		return
	}
	if !t.on {
		c.e.tracking.untrack(c.s)
	} else {
		if !c.s.tracks.on {
			c.e.tracking.all = append(c.e.tracking.all, c.s)
		}
		t.prefixes = slices.Concat(c.s.tracks.prefixes, t.prefixes)
		c.s.tracks = t
	}
	c.out.Status("OK")
}

// parse reads the options, and returns an error if one is unknown.
func (t *tracks) parse(c *call, args []string) string {
	flags := map[string]*bool{"bcast": &t.broadcast, "optin": &t.optIn, "optout": &t.optOut,
		"noloop": &t.noLoop}
	for ; len(args) > 0; args = args[1:] {
		switch word := strings.ToLower(args[0]); {
		case flags[word] != nil:
			*flags[word] = true
		case word == "prefix" && len(args) > 1:
			args = args[1:]
			t.prefixes = append(t.prefixes, args[0])
		case word == "redirect":
			return c.lack("CLIENT TRACKING with REDIRECT")
		default:
			return syntax
		}
	}
	return ""
}

// conflict returns the error for options that contradict each other or the connection's old ones.
func (t *tracks) conflict(old tracks) string {
	switch {
	case !t.on:
		return ""
	case len(t.prefixes) > 0 && !t.broadcast:
		return "ERR PREFIX option requires BCAST mode to be enabled"
	case old.on && old.broadcast != t.broadcast:
		return "ERR You can't switch BCAST mode on/off before disabling tracking for this client, " +
			"and then re-enabling it with a different mode."
	case t.broadcast && (t.optIn || t.optOut):
		return "ERR OPTIN and OPTOUT are not compatible with BCAST"
	case t.optIn && t.optOut:
		return "ERR You can't specify both OPTIN mode and OPTOUT mode"
	case t.optIn && old.optOut || t.optOut && old.optIn:
		return "ERR You can't switch OPTIN/OPTOUT mode before disabling tracking for this client, " +
			"and then re-enabling it with a different mode."
	}
	return overlap(t.prefixes, old.prefixes)
}

// overlap returns the error for two prefixes if one of them is a prefix of the other.
func overlap(prefixes, old []string) string {
	const why = "' overlaps with "
	const end = ". Prefixes for a single client must not overlap."
	for i, p := range prefixes {
		for _, o := range old {
			if o != p && (strings.HasPrefix(o, p) || strings.HasPrefix(p, o)) {
				return "ERR Prefix '" + p + why + "an existing prefix '" + o + "'" + end
			}
		}
		for _, o := range prefixes[i+1:] {
			if strings.HasPrefix(o, p) || strings.HasPrefix(p, o) {
				return "ERR Prefix '" + p + why + "another provided prefix '" + o + "'" + end
			}
		}
	}
	return ""
}

// caching is CLIENT CACHING. It says whether the keys of the next command are tracked.
func (c *call) caching() {
	t := &c.s.tracks
	word := strings.ToLower(c.args[2])
	switch {
	case !t.on:
		c.out.Error("ERR CLIENT CACHING can be called only when the client is in tracking mode with " +
			"OPTIN or OPTOUT mode enabled")
	case word == "yes" && !t.optIn:
		c.out.Error("ERR CLIENT CACHING YES is only valid when tracking is enabled in OPTIN mode.")
	case word == "no" && !t.optOut:
		c.out.Error("ERR CLIENT CACHING NO is only valid when tracking is enabled in OPTOUT mode.")
	case word != "yes" && word != "no":
		c.out.Error(syntax)
	default:
		t.caching = true
		c.out.Status("OK")
	}
}

// remember notes the keys that the caller's command has read, if the caller tracks them.
func (t *tracking) remember(cmd command, args []string) {
	s := t.caller
	if s == nil || !s.tracks.remembers() {
		return
	}
	for _, key := range cmd.reads(args) {
		if !slices.Contains(t.readers[key], s) {
			t.readers[key] = append(t.readers[key], s)
		}
	}
}

// remembers reports whether remember must note the keys that the next command reads.
func (t *tracks) remembers() bool {
	switch {
	case !t.on || t.broadcast:
		return false
	case t.optIn:
		return t.caching
	}
	return !t.caching
}

// keyless are the commands without effect that read no key.
var keyless = map[string]bool{"keys": true, "scan": true, "dbsize": true, "publish": true,
	"ping": true, "echo": true, "time": true, "info": true, "select": true}

// reads returns the keys that a command has only read.
func (c command) reads(args []string) []string {
	switch {
	case c.flags != 0 || keyless[c.name]:
		return nil
	case c.name == "mget" || c.name == "exists" || c.name == "touch":
		return args[1:]
	}
	return args[1:2]
}

// invalidate tells the connections that have read a key, or track all keys, that it changed. By is
// the connection whose command changed it, or nil for an expired key.
func (t *tracking) invalidate(key string, by *Session) {
	for _, s := range t.readers[key] {
		if s.tracks.noLoop && s == by {
			continue
		}
		t.outdated(s, key)
	}
	delete(t.readers, key)
	if slices.ContainsFunc(t.all, func(s *Session) bool { return s.tracks.broadcast }) {
		t.changed[key] = by
	}
}

// outdated sends a session one invalidation, for all keys if it names none. The session whose
// command runs gets it after its reply. A session with RESP2 cannot get it.
func (t *tracking) outdated(s *Session, keys ...string) {
	r := resp.Writer{Three: true}
	r.Push(2)
	r.Bulk("invalidate")
	if len(keys) == 0 {
		r.NullArray()
	} else {
		r.Array(len(keys))
	}
	for _, key := range keys {
		r.Bulk(key)
	}
	switch {
	case !s.three:
	case s == t.caller:
		t.after = append(t.after, r.B...)
	default:
		s.Push(r.B)
	}
}

// invalidateAll tells all connections that track that all keys are gone.
func (t *tracking) invalidateAll() {
	for _, s := range t.all {
		t.outdated(s)
	}
	clear(t.readers)
}

// broadcast sends the names of keys that have changed since its last call. It returns the messages
// for the caller, which follow the reply.
func (t *tracking) broadcast(caller *Session) []byte {
	t.caller = caller
	for _, s := range t.all {
		for _, prefix := range s.tracks.trackedPrefixes() {
			var keys []string
			for _, key := range slices.Sorted(maps.Keys(t.changed)) {
				own := s.tracks.noLoop && t.changed[key] == s
				if strings.HasPrefix(key, prefix) && !own {
					keys = append(keys, key)
				}
			}
			if len(keys) > 0 {
				t.outdated(s, keys...)
			}
		}
	}
	clear(t.changed)
	after := t.after
	t.after, t.caller = nil, nil
	return after
}

// trackedPrefixes returns the prefixes of the keys whose changes are broadcast to the connection.
func (t *tracks) trackedPrefixes() []string {
	switch {
	case !t.broadcast:
		return nil
	case len(t.prefixes) == 0:
		return []string{""}
	}
	return slices.Sorted(slices.Values(t.prefixes))
}

// replaced invalidates the keys that differ between two contents of the server.
func (t *tracking) replaced(from, to map[string]*value) {
	if len(t.all) == 0 {
		return
	}
	both := maps.Clone(from)
	maps.Copy(both, to)
	for _, key := range slices.Sorted(maps.Keys(both)) {
		if from[key] != to[key] {
			t.invalidate(key, nil)
		}
	}
	t.broadcast(nil)
}

func (t *tracking) untrack(s *Session) {
	t.all = slices.DeleteFunc(t.all, func(x *Session) bool { return x == s })
	for key, all := range t.readers {
		all = slices.DeleteFunc(all, func(x *Session) bool { return x == s })
		if t.readers[key] = all; len(all) == 0 {
			delete(t.readers, key)
		}
	}
	s.tracks = tracks{}
}

// Tracked reports whether a connection wants to hear when keys change.
func (e *Engine) Tracked() bool { return len(e.tracking.all) > 0 }

// Soonest returns when the first key ends, ms of the wall clock, or 0 if none does.
func (e *Engine) Soonest() (first int64) {
	for _, v := range e.keys {
		if v.until != 0 && (first == 0 || v.until < first) {
			first = v.until
		}
	}
	return first
}
