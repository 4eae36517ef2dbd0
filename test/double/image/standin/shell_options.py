"""The options of the job shell: -o NAME=VALUE, --input, --output, --error and --signal.

Checked: src/bindings/python/flux/cli/base.py, src/bindings/python/flux/job/{Jobspec,_utils}.py, src/shell/{affinity,
gpubind,doom,signal,stage-in}.c, src/shell/{input,output}/.
"""

import math
import signal

from .duration import parse_duration
from .errors import Refusal
from .idset import decode_idset
from .options import NOT_IMPLEMENTED, Parsed

AFFINITIES = ("on", "off", "per-task")
# Also names that flux-core doesn't know, such as that of lead.sh.
WITHOUT_EFFECT = ("minicluster", "mpi", "pmi", "verbose")
# Names that flux run and submit take for Flux' own log.
NO_FILES = ("none", "kvs")


def shell_options(parsed: Parsed) -> dict:
    """The shell options of a jobspec. Options that the stand-in doesn't have are refused."""
    found: dict = {}
    for setting in parsed.all("setopt"):
        name, _, value = setting.partition("=")
        if not is_known(name, value):
            raise Refusal(
                f"flux: stand-in: -o {setting} may exist in flux-core but is not implemented here", NOT_IMPLEMENTED
            )
        if name == "output.mode":
            found.setdefault("output", {})["mode"] = value
        elif name == "stage-in.names":
            found["stage-in"] = {"names": value}
        else:
            found[name] = value or 1
    for option, group, stream in (
        ("input", "input", "stdin"),
        ("output", "output", "stdout"),
        ("error", "output", "stderr"),
    ):
        path = parsed.get(option)
        if path is not None and path not in NO_FILES and not (option == "input" and is_idset(path)):
            found.setdefault(group, {})[stream] = {"type": "file", "path": path}
    if parsed.has("signal"):
        found["signal"] = parse_signal(parsed.get("signal") or "")
    return found


def is_known(name: str, value: str) -> bool:
    if name in ("cpu-affinity", "gpu-affinity"):
        return value in AFFINITIES
    if name == "exit-timeout":
        return is_timeout(value)
    return name in (*WITHOUT_EFFECT, "stage-in.names") or (name == "output.mode" and value in ("truncate", "append"))


def is_timeout(text: str) -> bool:
    try:
        exit_timeout({"exit-timeout": text})
    except ValueError:
        return False
    return True


def exit_timeout(options: dict) -> float:
    """Seconds from the first end of a task until the job is ended."""
    text = options.get("exit-timeout", "30s")
    return math.inf if text.lower() == "none" else parse_duration(text)


def is_idset(text: str) -> bool:
    try:
        decode_idset(text)
    except ValueError:
        return False
    return True


def parse_signal(text: str) -> dict:
    """SIG@TIME, both optional. The default is SIGUSR1 60 seconds before the end."""
    name, _, left = text.partition("@")
    name = name or "SIGUSR1"
    number = int(name) if name.isdigit() else getattr(signal, f"SIG{name.removeprefix('SIG')}", None)
    if not number:
        raise ValueError(f"--signal={text}: signal '{name}' is invalid")
    try:
        return {"signum": int(number), "timeleft": parse_duration(left or "60")}
    except ValueError as error:
        raise ValueError(f"--signal={text}: {error}") from None


def path_of(options: dict, stream: str) -> str | None:
    """The file of a stream. The standard error goes where the standard output goes."""
    output = options.get("output", {})
    found = output.get(stream) or (output.get("stdout") if stream == "stderr" else None)
    return found["path"] if found else None
