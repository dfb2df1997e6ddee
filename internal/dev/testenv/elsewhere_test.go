package testenv

// elsewhere asks from a file of another name.
func elsewhere() { Large(2, 1) }
