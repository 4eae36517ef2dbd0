"""`flux version`. Checked: src/cmd/builtin/version.c."""

import os

from standin.client import connect
from standin.options import Options
from standin.version import WHAT_THIS_IS, version_text

OPTIONS = Options("flux version", "")


def main(_name: str, args: list[str]) -> int:
    OPTIONS.parse(args)
    print(f"commands:    \t\t{version_text()}")
    print(f"libflux-core:\t\t{version_text()}")
    if "FLUX_URI" in os.environ:
        print(f"broker:  \t\t{connect('flux-version: flux_open').call('attr.get', {'name': 'version'})['value']}")
        print(f"FLUX_URI:\t\t{os.environ['FLUX_URI']}")
    print(f"build-options:\t\t+standin\n{WHAT_THIS_IS}")
    return 0
