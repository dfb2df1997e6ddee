// Package archtest holds the rules of the house that a test can check.
package archtest
