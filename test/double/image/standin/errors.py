"""Errors with a message for the user."""

import os


class Refusal(Exception):
    """Ends a command with one message on stderr."""

    def __init__(self, message: str, code: int = 1, errnum: int = 0):
        super().__init__(message)
        self.message = message
        self.code = code
        self.errnum = errnum


class RpcError(Exception):
    """The error that a request was answered with."""

    def __init__(self, errnum: int, text: str = ""):
        super().__init__(text or os.strerror(errnum))
        self.errnum = errnum
        self.text = text or os.strerror(errnum)
