"""The files of FLUX_SHELL_RC_PATH, which change the environment of tasks.

Checked: src/shell/{initrc.lua,rc.c,shell.c}, src/bindings/lua/flux/shell.lua. flux-core runs these files with Lua. Here
they may only have lines such as `shell.setenv ("NAME", "VALUE", 0)`.
"""

import glob
import re

from .errors import Refusal

LINE = re.compile(r'shell\.setenv \("(\w+)", "((?:[^"\\]|\\.)*)"(?:, ([01]))?\)')
ESCAPES = {"n": "\n", "r": "\r"}


def with_rc_files(environment: dict[str, str]) -> dict[str, str]:
    """The environment with the variables of the files. Without overwriting (0), a variable of the jobspec stays."""
    changed = dict(environment)
    for folder in filter(None, environment.get("FLUX_SHELL_RC_PATH", "").split(":")):
        for path in sorted(glob.glob(f"{folder}/*.lua")):
            run_file(path, changed)
    return changed


def run_file(path: str, environment: dict[str, str]) -> None:
    with open(path, encoding="utf-8", newline="") as file:
        lines = [line for line in file.read().split("\n") if line and not line.startswith("--")]
    for line in lines:
        found = LINE.fullmatch(line)
        if not found:
            raise Refusal(f"stand-in: {path}: only shell.setenv is implemented here, not: {line}")
        name, text, overwrite = found.groups()
        value = re.sub(r"\\(.)", lambda match: ESCAPES.get(match[1], match[1]), text)
        if overwrite != "0" or name not in environment:
            environment[name] = value
