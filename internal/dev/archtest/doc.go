// Package archtest tests the conventions of this repository.
package archtest
