"""`flux`: finds the command and runs it. Checked: src/cmd/flux.c."""

import importlib
import os
import sys

from .errors import Refusal, RpcError
from .options import NOT_IMPLEMENTED, Options
from .version import WHAT_THIS_IS, version_text

COMMANDS = {
    "R": "resource_sets",
    "archive": "archive",
    "broker": "broker",
    "cancel": "cancel",
    "config": "config",
    "content": "content",
    "dmesg": "dmesg",
    "dump": "dump",
    "exec": "exec",
    "getattr": "attributes",
    "setattr": "attributes",
    "job": "job",
    "jobs": "jobs",
    "keygen": "keygen",
    "kvs": "kvs",
    "module": "module",
    "overlay": "overlay",
    "ping": "ping",
    "proxy": "proxy",
    "python": "python",
    "queue": "queue",
    "relay": "relay",
    "resource": "resource",
    "run": "run",
    "shutdown": "shutdown",
    "start": "start",
    "submit": "submit",
    "uptime": "uptime",
    "version": "version",
}
# Commands of flux-core that the stand-in doesn't have: src/cmd, src/cmd/builtin.
ABSENT = """admin alloc batch bulksubmit cgroup cron env event fortune fsck gc heaptrace help hostlist
housekeeping imp_exec_helper job-exec-override job-frobnicator job-validator jobtap logger lptest lsattr modprobe
multi-prog pgrep pkill pmi post-job-event pstree restore slurm-expiration-sync sproc startlog
terminus top update uri watch""".split()

# The `flux` of flux-core adds these variables to the environment of its commands, and so of jobs.
ADDED_ENVIRONMENT = {
    "FLUX_EXEC_PATH": "/usr/libexec/flux/cmd",
    "FLUX_CONNECTOR_PATH": "/usr/lib/flux/connectors",
    "FLUX_MODULE_PATH": "/usr/lib/flux/modules",
}

# The commands that are part of the program `flux` itself: src/cmd/builtin. It looks for all others in FLUX_EXEC_PATH.
BUILTIN = """archive cgroup config content dmesg dump env fsck gc getattr heaptrace help lptest lsattr overlay pmi proxy
python relay restore setattr shutdown startlog uptime version""".split()

OPTIONS = Options("flux", "[OPTIONS] COMMAND ARGS", "v/verbose V/version", "p/parent r/root")


def print_help() -> None:
    names = " ".join(sorted(COMMANDS))
    print(
        f"Usage: flux [OPTIONS] COMMAND ARGS\n\n{WHAT_THIS_IS}, imitating {version_text()}.\n"
        f"It is for tests where the real Flux cannot be had.\n\nCommands it has: {names}",
        file=sys.stderr,
    )


def run(arguments: list[str]) -> int:
    if arguments[:1] in (["--help"], ["-h"]):
        print_help()
        return 0
    parsed = OPTIONS.parse(arguments)
    if parsed.has("version"):
        parsed.rest = ["version"]
    if not parsed.rest:
        print_help()
        return 1
    name, rest = parsed.rest[0], parsed.rest[1:]
    if name not in BUILTIN:
        run_from_path(parsed.rest)
    if name in ABSENT:
        raise Refusal(f"flux: stand-in: flux {name} exists in flux-core but is not implemented here", NOT_IMPLEMENTED)
    if name not in COMMANDS:
        raise Refusal(f"flux: `{name}' is not a flux command.  See 'flux --help'")
    for variable, value in ADDED_ENVIRONMENT.items():
        os.environ.setdefault(variable, value)
    module = importlib.import_module(f"standin.commands.{COMMANDS[name]}")
    return module.main(name, rest)


def run_from_path(words: list[str]) -> None:
    """Runs a command of FLUX_EXEC_PATH_PREPEND or FLUX_EXEC_PATH. Returns if they have none of this name."""
    before = os.environ.get("FLUX_EXEC_PATH_PREPEND", "").split(":")
    after = os.environ.get("FLUX_EXEC_PATH", ADDED_ENVIRONMENT["FLUX_EXEC_PATH"]).split(":")
    folders = list(dict.fromkeys(folder for folder in [*before, *after] if folder))
    os.environ["FLUX_EXEC_PATH"] = ":".join(folders)
    for folder in folders:
        path = f"{folder}/flux-{words[0]}"
        if os.access(path, os.X_OK):
            os.execv(path, words)


def main(argv: list[str]) -> None:
    """Exits with the command's code. A refusal is one message on stderr."""
    try:
        code = run(argv[1:])
        sys.stdout.flush()
    except Refusal as refusal:
        print(refusal.message, file=sys.stderr)
        code = refusal.code
    except RpcError as error:
        print(f"flux: {error.text}", file=sys.stderr)
        code = 1
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 141
    except KeyboardInterrupt:
        code = 130
    sys.exit(code)
