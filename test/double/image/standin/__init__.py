"""A stand-in for Flux (not Flux), for tests on machines that cannot get the real one."""
