"""One file for each command of `flux`, with a function main(name, args) that returns the exit code."""
