// Package gate demands from locks under faults what a file expects of them: it reads the file, runs
// its entries, judges them and says what follows.
package gate
