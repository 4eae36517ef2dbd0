"""`flux uptime`. Checked: src/cmd/builtin/uptime.c."""

import pwd
import time

from standin.client import Client, connect
from standin.duration import format_duration
from standin.errors import Refusal
from standin.options import Options

OPTIONS = Options("flux uptime", "[OPTIONS]")
SEGMENTATION_FAULT = 139


def user_name(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        raise Refusal(
            f"flux-uptime: stand-in: Flux 0.88 crashes here, as user {uid} has no entry in passwd", SEGMENTATION_FAULT
        ) from None


def running(client: Client, size: int) -> tuple[float, str, list[str]]:
    """The age of a running instance, the number of missing ranks, and what is stopped."""
    age = client.call("state-machine.get", {}, 0)["uptime"]
    report = client.call("resource.status", {}, 0)
    counts = {"drained": len(report["drained"]), "offline": size - len(report["up"])}
    queue = client.call("job-manager.queue", {}, 0)
    extra = "".join(f",  {count} {name}" for name, count in counts.items() if count)
    return age, extra, [] if queue["sched"] else ["scheduler stopped"]


def main(_name: str, args: list[str]) -> int:
    OPTIONS.parse(args)
    client = connect("flux: flux_open")
    found = client.call("state-machine.get")
    duration, extra, closed = found["duration"], "", []
    if found["state"] == "run":
        duration, extra, closed = running(client, found["size"])
    print(
        f" {time.strftime('%H:%M:%S')} {found['state']} {format_duration(duration, 2)},  owner"
        f" {user_name(found['owner'])},  depth 0,  size {found['size']}{extra}"
    )
    if closed:
        print("  " + ",  ".join(closed))
    return 0
