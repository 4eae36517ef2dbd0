"""`flux queue`. Checked: src/cmd/flux-queue.py."""

import sys

from standin.client import connect_python
from standin.duration import parse_duration
from standin.errors import Refusal, RpcError
from standin.options import NOT_IMPLEMENTED, Options


def change_options(name: str) -> Options:
    return Options(
        f"flux-queue {name}",
        "[OPTIONS] [QUEUE]",
        "a/all v/verbose quiet nocheckpoint",
        "q/queue=",
        style="argparse",
        mixed=True,
    )


WAIT = Options("flux-queue", "[-t DURATION] [--quiet]", "t/timeout= quiet", style="argparse")
ABSENT = ("list", "enable", "disable")


def change(name: str, args: list[str]) -> int:
    parsed = change_options(name).parse(args)
    if parsed.rest:
        raise Refusal(f"flux-queue: ERROR: invalid queue: queue {parsed.rest[0]} not configured")
    payload = {"change": None if name == "status" else name}
    found = connect_python("flux-queue").call("job-manager.queue", payload, 0)
    if name == "status":
        print("Job submission is enabled")
    if name == "status" or not parsed.has("quiet"):
        print(f"Scheduling is {'started' if found['sched'] else 'stopped'}")
    return 0


def wait(name: str, args: list[str]) -> int:
    parsed = WAIT.parse(args)
    timeout = parse_duration(parsed.get("timeout") or "0") or None
    try:
        found = connect_python("flux-queue").call("job-manager.idle", {"all": name == "drain"}, 0, timeout)
    except RpcError:
        raise Refusal("flux-queue: ERROR: timeout waiting for queue") from None
    if name == "idle" and (found["jobs"] > 0 or not parsed.has("quiet")):
        print(f"{found['jobs']} jobs")
    return 0


def main(_name: str, args: list[str]) -> int:
    if args and args[0] in ("status", "start", "stop"):
        return change(args[0], args[1:])
    if args and args[0] in ("drain", "idle"):
        return wait(args[0], args[1:])
    if args and args[0] in ABSENT:
        raise Refusal(
            f"flux-queue: stand-in: {args[0]} exists in flux-core but is not implemented here", NOT_IMPLEMENTED
        )
    print("usage: flux-queue [-h] {status,start,stop,drain,idle} ...", file=sys.stderr)
    return 0 if args[:1] in (["-h"], ["--help"]) else 2
