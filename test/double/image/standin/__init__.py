"""A stand-in for Flux (not Flux), for tests on machines that can't get the real one."""
