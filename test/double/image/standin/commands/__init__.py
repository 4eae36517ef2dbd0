"""One file for each command of `flux`; each has main(name, args) -> exit code."""
