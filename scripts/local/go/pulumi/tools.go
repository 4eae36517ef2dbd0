// Only the tools of go.mod are built from this module.
package tools
