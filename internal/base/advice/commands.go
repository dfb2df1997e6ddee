package advice

// The commands with fixed words that lockbench prints.
var (
	ListImpls    = form("list impls")
	ListAdapters = form("list adapters")
	ListNemeses  = form("list nemeses")
	Doctor       = form("doctor")
	DoctorAll    = form("doctor --all")

	RunLock = form("run --impl token-lua")
	RunPlan = form("run --plan %s", "{plan}")

	ControlLock    = form("run --impl %s --nemesis %s", "token-lua", "pause:short")
	ControlLibrary = form("run --adapter %s --nemesis %s", "{adapter}", "pause:short")

	// Check ends with the exit code of the run.
	Check = form("check %s", "{run}")
	// CheckLetters judges a run by some properties.
	CheckLetters = form("check --properties %s %s", "S", "{run}").ends(0, 1, 2)

	ExploreAdapter = form("explore --adapter %s", "{adapter}").ends(0, 1)
	Replay         = form("replay %s", "{counterexample}").ends(0, 1)
	ReplayReal     = form("replay --env process %s", "{counterexample}").ends(0, 1)
	ReplayIn       = form("replay --env %s %s", "sim", "{counterexample}").ends(0, 1)

	GateInit     = form("gate --init")
	GateInitFile = form("gate --init %s", "{new}")
	GateMyLock   = form("gate --init --adapter ./mylock")
	Gate         = form("gate %s", "{gate}")
	GateAlone    = form("gate %s --only %s --jobs 1", "{gate}", "{entry}")

	MatrixResume  = form("matrix --resume %s", "{matrix}")
	MatrixLock    = form("matrix --impl %s --nemesis %s --repeat 20", "token-lua", "crash")
	MatrixLibrary = form("matrix --adapters %s --nemesis %s --repeat 20", "{adapter}", "crash")

	MergeHelp   = form("merge --help")
	CompareHelp = form("compare --help")
	TourFrom    = form("tour --from %s", "{step}")
)
