"""The files that each job shell reads: conf.shell_initrc, and those of FLUX_SHELL_RC_PATH. They change the environment
of tasks, their binding, and where a job's output goes.

Checked: src/shell/{initrc.lua,rc.c,shell.c}, src/bindings/lua/flux/shell.lua. flux-core runs these files with Lua. Here
they may only have lines such as `shell.setenv ("NAME", "VALUE", 0)`, or be a file that this package writes (output.sh,
start-cpus.sh, environment.sh).
"""

import glob
import re
from collections.abc import Iterator

from .errors import Refusal

LINE = re.compile(r'shell\.setenv \("(\w+)", "((?:[^"\\]|\\.)*)"(?:, ([01]))?\)')
# The functions of environment.sh, and its loop over the variables of the submitting rank.
OWN = re.compile(
    r"""local theirs, mine = .*?(?=^(?:same|own|for|shell\.setenv) )|(^for name in theirs:gmatch .*?^end\n)""",
    re.DOTALL | re.MULTILINE,
)
TEXT = r'"((?:[^"\\]|\\.)*)"'
OWN_LINE = re.compile(rf'(own|same) \("(\w+)", {TEXT}(?:, {TEXT})?\)')
OUTPUT = re.compile(
    r"""local output, options = shell\.options\.output or \{\}, shell\.options
if options\.(\w+) and shell\.info\.rank == 0 and not \(output\.stdout or output\.limit or options\.pty\) then
output\.stdout = \{ type = "file", path = "([^"]*)" \}
output\.stderr = output\.stderr or \{ type = "file", path = "([^"]*)" \}
options\.output = output
end
"""
)
BINDING = re.compile(
    r"""if shell\.options\["cpu-affinity"\] == nil then shell\.options\["cpu-affinity"\] = "off" end
(?:local folder, extra = "([^"]*)", shell\.getenv \("FLUX_RC_EXTRA"\) or ""
if not \(":" \.\. extra \.\. ":"\):find \(":" \.\. folder \.\. ":", 1, true\) then
shell\.setenv \("FLUX_RC_EXTRA", extra == "" and folder or extra \.\. ":" \.\. folder\)
end
)?source_if_exists \("([^"]*)"\)
"""
)
ESCAPES = {"n": "\n", "r": "\r"}


def with_rc_files(environment: dict[str, str]) -> dict[str, str]:
    """The environment with the variables of the files. Without overwriting (0), a variable of the jobspec stays."""
    changed = dict(environment)
    for path, text in files_of(environment):
        if not OUTPUT.fullmatch(text):
            run_file(path, text, changed)
    return changed


def with_initrc(path: str, environment: dict[str, str], options: dict) -> tuple[dict[str, str], dict]:
    """The environment and the shell options of a job, as the file of conf.shell_initrc changes them."""
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read()
    except FileNotFoundError:
        return environment, options
    found = BINDING.fullmatch(text)
    if not found:
        raise Refusal(f"stand-in: {path}: only the file of start-cpus.sh is implemented here")
    folders = [*environment.get("FLUX_RC_EXTRA", "").split(":"), found[1]]
    extra = ":".join(dict.fromkeys(folder for folder in folders if folder))
    return {**environment, **({"FLUX_RC_EXTRA": extra} if found[1] else {})}, {"cpu-affinity": "off", **options}


def output_of(environment: dict[str, str], shell_rank: int, options: dict) -> dict | None:
    """The shell option `output` that the files give to the first shell of a job, if they change it."""
    output = options.get("output", {})
    for found in (OUTPUT.fullmatch(text) for _path, text in files_of(environment)):
        if not found or shell_rank != 0 or found[1] not in options or "stdout" in output or "limit" in output:
            continue
        stdout, stderr = ({"type": "file", "path": path} for path in found.groups()[1:])
        return {"stderr": stderr, **output, "stdout": stdout}
    return None


def files_of(environment: dict[str, str]) -> Iterator[tuple[str, str]]:
    for folder in filter(None, environment.get("FLUX_SHELL_RC_PATH", "").split(":")):
        for path in sorted(glob.glob(f"{folder}/*.lua")):
            with open(path, encoding="utf-8", newline="") as file:
                yield path, file.read()


def plain(text: str) -> str:
    return re.sub(r"\\(.)", lambda match: ESCAPES.get(match[1], match[1]), text)


def is_copied(name: str, environment: dict[str, str]) -> bool:
    """True if the job has the value of the rank that submitted it."""
    theirs = environment.get("FLUX_MINICLUSTER_OWN", "")
    return name in environment and f"\n{name}={environment[name]}\n" in theirs


def set_own(lines: list[re.Match], environment: dict[str, str]) -> None:
    """Variables of this rank. A value that is neither the pods' nor that of the submitting rank stays."""
    for kind, name, value, before in (line.groups() for line in lines):
        is_missing = kind == "own" and name not in environment
        is_unchanged = before is not None and environment.get(name) == plain(before)
        if is_missing or is_unchanged or is_copied(name, environment):
            environment[name] = plain(value)
    mine = {line[2] for line in lines}
    for name in re.findall(r"\n([A-Za-z_]\w*)=", environment.get("FLUX_MINICLUSTER_OWN", "")):
        if name not in mine and is_copied(name, environment):
            del environment[name]


def run_file(path: str, text: str, environment: dict[str, str]) -> None:
    lines = [line for line in OWN.sub("", text).split("\n") if line and not line.startswith("--")]
    set_own([found for found in map(OWN_LINE.fullmatch, lines) if found], environment)
    for line in (line for line in lines if not OWN_LINE.fullmatch(line)):
        found = LINE.fullmatch(line)
        if not found:
            raise Refusal(f"stand-in: {path}: only shell.setenv is implemented here, not: {line}")
        name, text, overwrite = found.groups()
        if overwrite != "0" or name not in environment:
            environment[name] = plain(text)
