"""`flux uptime`. Checked: src/cmd/builtin/uptime.c."""
import pwd
import time

from standin.client import Client
from standin.duration import format_duration
from standin.errors import Refusal
from standin.options import Options

OPTIONS = Options("flux uptime", "[OPTIONS]")


def user_name(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)


def main(_name: str, args: list[str]) -> int:
    OPTIONS.parse(args)
    try:
        client = Client("flux")
    except Refusal:
        raise Refusal("flux: flux_open: No such file or directory") from None
    found = client.call("state-machine.get", {}, 0)
    print(f" {time.strftime('%H:%M:%S')} {found['state']} {format_duration(found['uptime'], 2)}, "
          f" owner {user_name(found['owner'])},  depth 0,  size {found['size']}")
    return 0
