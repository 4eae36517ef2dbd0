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
        "a/all v/verbose quiet nocheckpoint m/message=",
        "q/queue=",
        style="argparse",
        mixed=True,
    )


WAIT = Options("flux-queue", "[-t DURATION] [--quiet]", "t/timeout= quiet", style="argparse")
ABSENT = ("list",)


def show(found: dict) -> None:
    reason = f": {found['reason']}" if found["reason"] and not found["submit"] else ""
    print(f"Job submission is {'enabled' if found['submit'] else 'disabled'}{reason}")
    print(f"Scheduling is {'started' if found['sched'] else 'stopped'}")


def change(name: str, args: list[str]) -> int:
    parsed = change_options(name).parse(args)
    if parsed.rest:
        raise Refusal(f"flux-queue: ERROR: invalid queue: queue {parsed.rest[0]} not configured")
    message = parsed.get("message") or ""
    if name == "disable" and not message:
        raise Refusal("flux-queue: error: reason for disable is required (use -m, --message=REASON)", 2)
    payload = {"change": None if name == "status" else name, "message": message}
    found = connect_python("flux-queue").call("job-manager.queue", payload, 0)
    if name == "status":
        show(found)
    elif not parsed.has("quiet"):
        lines = {
            "enable": "Job submission is enabled",
            "disable": f"Job submission is disabled: {message}",
            "start": "Scheduling is started",
            "stop": "Scheduling is stopped",
        }
        print(lines[name])
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
    if args and args[0] in ("status", "enable", "disable", "start", "stop"):
        return change(args[0], args[1:])
    if args and args[0] in ("drain", "idle"):
        return wait(args[0], args[1:])
    if args and args[0] in ABSENT:
        raise Refusal(
            f"flux-queue: stand-in: {args[0]} exists in flux-core but is not implemented here", NOT_IMPLEMENTED
        )
    print("usage: flux-queue [-h] {status,enable,disable,start,stop,drain,idle} ...", file=sys.stderr)
    return 0 if args[:1] in (["-h"], ["--help"]) else 2
