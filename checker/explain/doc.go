// Package explain shows a violation to people: its class, its witness, and its story.
package explain
