"""`flux python`: the interpreter with Flux's modules on its path. Checked: src/cmd/builtin/python.c."""

import os
import sys

from standin.errors import Refusal
from standin.options import NOT_IMPLEMENTED

# The stand-in for flux-restful. A real image has flux-restful beside Flux's bindings.
MODULES = "/usr/lib/flux-standin/restful"


def main(_name: str, args: list[str]) -> int:
    if args[:1] == ["--get-path"]:
        raise Refusal("flux: stand-in: flux python --get-path needs bindings, and there are none", NOT_IMPLEMENTED)
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = f"{MODULES}:{before}" if before else MODULES
    os.execv(sys.executable, [sys.executable, *args])
    return 127
