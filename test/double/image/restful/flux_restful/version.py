"""The version that is imitated."""

__version__ = "1.1.0"
