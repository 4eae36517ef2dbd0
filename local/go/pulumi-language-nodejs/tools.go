// Only the program named in go.mod's tool line is built from this module.
package tools
