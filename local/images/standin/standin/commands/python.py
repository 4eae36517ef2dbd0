"""`flux python`. Checked: src/cmd/builtin/python.c."""
import os
import sys

from standin.options import NOT_IMPLEMENTED
from standin.errors import Refusal


def main(_name: str, args: list[str]) -> int:
    if args[:1] == ["--get-path"]:
        raise Refusal("flux: stand-in: flux python --get-path needs bindings, and there are none", NOT_IMPLEMENTED)
    os.execv(sys.executable, [sys.executable, *args])
    return 127
