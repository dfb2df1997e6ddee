package impls

import (
	"strings"

	"github.com/lockbench/lockbench/internal/history"
)

// A Script is one of a lock's Lua scripts with the meaning of its replies.
type Script struct {
	Text string
	history.Script
}

func takes(text, done, refused string) Script {
	return Script{text, history.Script{Does: history.ScriptTakes, Done: done, Refused: refused}}
}

func prolongs(text string) Script {
	return Script{text, history.Script{Does: history.ScriptProlongs, Done: "1", Refused: "0"}}
}

func frees(text, refused, kept string) Script {
	return Script{text, history.Script{Does: history.ScriptFrees, Done: "1", Refused: refused,
		Kept: kept}}
}

// number is any integer reply.
const number = `-?[0-9]+`

// The scripts, grouped by effect. Each Lua file documents its replies at its top, and a test
// compares them with a real server.
var (
	setnxExpireTakes  = takes(setnxExpireScript, "1", "0")
	setnxPexpireTakes = takes(strings.Replace(setnxExpireScript, "'expire'", "'pexpire'", 1), "1", "0")
	postedTakes       = takes(setnxExpirePostedScript, "1", "0")
	redissonTakes     = takes(redissonAcquireScript, `\(nil\)`, number)
	fencedTakes       = takes(redissonFencedScript, `\[-1 `+number+`\]`, `\[`+number+` -1\]`)

	extendProlongs   = prolongs(extendScript)
	redissonProlongs = prolongs(redissonRenewScript)

	releaseFrees  = frees(releaseScript, "0", "")
	postedFrees   = frees(releasePostedScript, "0", "")
	redissonFrees = frees(redissonUnlockScript, `\(nil\)`, "0")
	spinFrees     = frees(redissonSpinUnlockScript, `\(nil\)`, "0")
)
