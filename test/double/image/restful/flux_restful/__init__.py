"""A stand-in for flux-restful (not flux-restful): as much of its HTTP API as tests use, on top of the stand-in for Flux.

Held against flux-restful 1.1.0: its command line, its environment variables, its routes, its tokens and its answers.
"""
