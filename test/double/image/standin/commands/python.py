"""`flux python`: the interpreter with Flux's modules on its path. Checked: src/cmd/builtin/python.c."""

import os
import sys

from standin.errors import Refusal
from standin.options import NOT_IMPLEMENTED

PREFIX = "/usr/lib/flux-standin"
# The stand-ins for Flux' bindings and for flux-restful, which a real image has beside the bindings.
MODULES = f"{PREFIX}/bindings:{PREFIX}/restful:{PREFIX}"


def main(_name: str, args: list[str]) -> int:
    if args[:1] == ["--get-path"]:
        text = "flux python --get-path exists in flux-core but is not implemented here"
        raise Refusal(f"flux: stand-in: {text}", NOT_IMPLEMENTED)
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = f"{MODULES}:{before}" if before else MODULES
    os.execv(sys.executable, [sys.executable, *args])
    return 127
