package matrix

// expectation is what was expected of a lock before anything was measured.
type expectation struct {
	from   string // where it was worked out
	reason string // in one line
	letters
}

// letters are the properties that can be violated, by column; a column without letters is expected
// to violate none.
type letters map[string]string

// Where expectations come from.
const (
	modelled = "docs/locks/expected.md"
	reasoned = "reasoned before measuring"
	nilRetry = ", none and crash; the rest was reasoned when it had been measured once"
)

// What several locks have in common.
var (
	always = letters{
		"none": "SLO", "longwork": "SLO", "crash": "SLO", "pause": "SLO", "partition": "SLOR",
		"reply-loss": "SLOR", "late": "SLOR", "restart": "SLO", "restart-delayed": "SLO",
		"failover": "SLOR", "clock-server+": "SLO", "clock-server-": "SLO", "clock-client": "SLO",
		"busy": "SLO", "request-loss": "SLOR", "node-pause": "SLO", "node-crash": "SLO",
	}
	comparedAndDeleted = letters{
		"longwork": "S", "pause": "S", "partition": "R", "reply-loss": "R", "late": "SR",
		"restart": "SL", "failover": "SLR", "clock-server+": "SL", "request-loss": "R",
	}
	byClientClocks = letters{
		"longwork": "SLO", "pause": "SLO", "partition": "R", "reply-loss": "R", "late": "SLOR",
		"restart": "SLO", "failover": "SLOR", "clock-client": "SLO", "busy": "SLO",
		"request-loss": "R", "node-pause": "SLO",
	}
	deletedByAnyClient = letters{
		"longwork": "SLO", "pause": "SLO", "partition": "R", "reply-loss": "R", "late": "SLOR",
		"restart": "SLO", "failover": "SLOR", "clock-server+": "SLO", "busy": "SLO",
		"request-loss": "R", "node-pause": "SLO",
	}
	renewed = letters{
		"pause": "S", "partition": "SR", "reply-loss": "R", "late": "SLOR", "restart": "SL",
		"restart-delayed": "S", "failover": "SLR", "clock-server+": "SL", "busy": "S",
		"request-loss": "R", "node-pause": "S",
	}
	neverReleased = letters{
		"none": "R",
	}
	noLock = letters{
		"none": "SL",
	}
)

// expectations are those of docs/locks/expected.md, by row. A row that is not here is measured with
// no expectation.
var expectations = map[string]expectation{
	"setnx": {modelled,
		"There is no lease: nothing ends by itself, neither a hold nor a leftover. It is safe under a " +
			"pause and dead after a crash.",
		letters{
			"crash": "D", "partition": "RD", "reply-loss": "RD", "late": "RD", "restart": "SLO",
			"failover": "SLORD", "request-loss": "RD",
		}},
	"setnx-del-expired": {modelled,
		"A key that is gone is read as an old lease, so that any two waiting clients can meet.",
		always},
	"setnx-del-expired nil-retry": {modelled + nilRetry,
		"Two clients that saw the same old lease delete one after the other. A leftover stays until a " +
			"client deletes it.",
		letters{
			"longwork": "SLO", "crash": "SLO", "pause": "SLO", "partition": "R", "reply-loss": "R",
			"late": "SLOR", "restart": "SLO", "failover": "SLOR", "clock-client": "SLO",
			"request-loss": "R",
		}},
	"setnx-expire": {modelled,
		"An acquire has two commands: what falls between them has no lease. Any client can DEL.",
		letters{
			"longwork": "SLO", "crash": "D", "pause": "SLO", "partition": "RD", "reply-loss": "RD",
			"late": "SLORD", "restart": "SLO", "failover": "SLOR", "clock-server+": "SLO", "busy": "SLO",
			"request-loss": "R", "node-pause": "SLO",
		}},
	"setnx-expire-lua": {reasoned,
		"One script is as atomic as SET NX PX: as token-lua.",
		comparedAndDeleted},
	"getset": {modelled,
		"The clients' clocks are the lease. The release knows no owner.",
		byClientClocks},
	"getset-java": {modelled,
		"As getset, with a lease of 4 ms, and with a release by clients that were refused.",
		always},
	"getset-redispy": {modelled,
		"As getset. The release takes every later owner for itself.",
		byClientClocks},
	"setpx-del": {modelled,
		"Any client can DEL.",
		deletedByAnyClient},
	"setpx-getdel": {modelled,
		"The lease may end between GET and DEL.",
		letters{
			"longwork": "S", "pause": "SLO", "partition": "R", "reply-loss": "R", "late": "SLOR",
			"restart": "SLO", "failover": "SLOR", "clock-server+": "SLO", "busy": "SO",
			"request-loss": "R", "node-pause": "SO",
		}},
	"token-lua": {modelled,
		"The release is right. Nothing ends the work together with the lease, and a server can forget " +
			"a grant.",
		comparedAndDeleted},
	"token-lua constant": {reasoned,
		"With one value for all clients the comparison is always true: as setpx-del.",
		deletedByAnyClient},
	"redisson fixed lease": {modelled,
		"As token-lua. The owner is a thread, so that a late unlock ends the next hold of the same " +
			"thread.",
		letters{
			"longwork": "S", "pause": "S", "partition": "R", "reply-loss": "R", "late": "SOR",
			"restart": "SL", "failover": "SLR", "clock-server+": "SL", "request-loss": "R",
		}},
	"redisson watchdog": {modelled,
		"Renewal covers long work and nothing else. The holder is not told of a renewal that failed.",
		renewed},
	"redisson-spin": {reasoned,
		"As redisson watchdog: only the waiting differs.",
		renewed},
	"redisson-multi": {reasoned,
		"As redisson watchdog for each of its locks, all on one Redis.",
		renewed},
	"redisson-fenced fixed lease": {modelled,
		"As token-lua. The counter of the tokens is lost together with the lock.",
		letters{
			"longwork": "S", "pause": "S", "partition": "R", "reply-loss": "R", "late": "SR",
			"restart": "SLF", "failover": "SLRF", "clock-server+": "SL", "request-loss": "R",
		}},
	"redlock per call": {modelled,
		"A majority must forget. One owner value for all attempts lets a late release undo the next " +
			"attempt.",
		letters{
			"longwork": "S", "pause": "S", "partition": "R", "late": "SLR", "restart": "SL",
			"failover": "SLR", "clock-server+": "SL", "request-loss": "R",
		}},
	"redlock per attempt": {modelled,
		"A majority must forget, or a client must stop.",
		letters{
			"longwork": "S", "pause": "S", "partition": "R", "late": "R", "restart": "SL",
			"failover": "SLR", "clock-server+": "SL", "request-loss": "R",
		}},
	"setnx-expire-lua-as-posted": {reasoned,
		"It takes the lock and says that it did not: no client is ever inside.",
		neverReleased},
	"setpx-getdel-as-posted": {reasoned,
		"It is never released: each hold leaves the key behind for its whole lease.",
		neverReleased},
	"local": {reasoned,
		"Two processes share no memory, and nothing is kept in Redis.",
		noLock},
	"none": {reasoned,
		"There is no lock.",
		noLock},
}
