"""The ways in which things are refused."""

import os


class Refusal(Exception):
    """Ends a command with one message on stderr."""

    def __init__(self, message: str, code: int = 1, errnum: int = 0):
        super().__init__(message)
        self.message = message
        self.code = code
        self.errnum = errnum


class RpcError(Exception):
    """A request that was answered with an error."""

    def __init__(self, errnum: int, text: str = ""):
        super().__init__(text or os.strerror(errnum))
        self.errnum = errnum
        self.text = text or os.strerror(errnum)
