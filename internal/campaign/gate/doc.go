// Package gate checks that locks under faults behave as a gate file expects. It reads the file,
// runs its entries, judges them and reports the result.
package gate
