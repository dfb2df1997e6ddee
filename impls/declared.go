package impls

import "strings"

// A Script is one of a lock's Lua scripts with the meaning of its replies, so that a reader of a
// trace can tell a grant from a refusal. Replies are written as go-redis prints them, "(nil)" for a
// null reply. A regular expression must match the whole reply.
type Script struct {
	Text    string
	Does    string // to the lock that is its first key: take, prolong or free
	Done    string // the reply that it did; of "free" that the key is deleted
	Refused string // the reply that it changed nothing: of "take" because another has the key
	Kept    string // the reply of "free" that the key stays: its owner holds it more than once
}

// What a script does.
const (
	takes    = "take"
	prolongs = "prolong"
	frees    = "free"
)

// number is any integer reply.
const number = `-?[0-9]+`

// The scripts, grouped by effect. Each Lua file documents its replies at its top, and a test
// compares them with a real server.
var (
	setnxExpireTakes  = Script{setnxExpireScript, takes, "1", "0", ""}
	setnxPexpireTakes = Script{strings.Replace(setnxExpireScript, "'expire'", "'pexpire'", 1), takes,
		"1", "0", ""}
	postedTakes   = Script{setnxExpirePostedScript, takes, "1", "0", ""}
	redissonTakes = Script{redissonAcquireScript, takes, `\(nil\)`, number, ""}
	fencedTakes   = Script{redissonFencedScript, takes, `\[-1 ` + number + `\]`, `\[` + number +
		` -1\]`, ""}

	extendProlongs   = Script{extendScript, prolongs, "1", "0", ""}
	redissonProlongs = Script{redissonRenewScript, prolongs, "1", "0", ""}

	releaseFrees  = Script{releaseScript, frees, "1", "0", ""}
	postedFrees   = Script{releasePostedScript, frees, "1", "0", ""}
	redissonFrees = Script{redissonUnlockScript, frees, "1", `\(nil\)`, "0"}
	spinFrees     = Script{redissonSpinUnlockScript, frees, "1", `\(nil\)`, "0"}
)
