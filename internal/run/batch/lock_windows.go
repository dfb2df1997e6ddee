package batch

import "os"

// tryLock keeps no process out here.
func tryLock(*os.File) bool { return true }

func release(*os.File) {}
