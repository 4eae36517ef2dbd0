"""A stand-in for flux-restful (not flux-restful): the part of its HTTP API that tests use, on top of the stand-in for
Flux.

Checked against flux-restful 1.1.0: command line, environment variables, routes, tokens and answers.
"""
