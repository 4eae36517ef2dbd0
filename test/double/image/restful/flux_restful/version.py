"""The version of flux-restful that this package imitates."""

__version__ = "1.1.0"
