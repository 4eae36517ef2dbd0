// Only the programs named in go.mod's tool lines are built from this module.
package tools
