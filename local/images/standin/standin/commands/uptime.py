"""`flux uptime`. Checked: src/cmd/builtin/uptime.c."""
import pwd
import time

from standin.client import connect
from standin.duration import format_duration
from standin.errors import Refusal
from standin.options import Options

OPTIONS = Options("flux uptime", "[OPTIONS]")


SEGMENTATION_FAULT = 139


def user_name(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        raise Refusal(f"flux-uptime: stand-in: Flux 0.88 crashes here, as user {uid} has no entry in passwd",
                      SEGMENTATION_FAULT) from None


def main(_name: str, args: list[str]) -> int:
    OPTIONS.parse(args)
    client = connect("flux: flux_open")
    found = client.call("state-machine.get", {}, 0)
    print(f" {time.strftime('%H:%M:%S')} {found['state']} {format_duration(found['uptime'], 2)}, "
          f" owner {user_name(found['owner'])},  depth 0,  size {found['size']}")
    return 0
