"""`flux dmesg`. Checked: src/cmd/builtin/dmesg.c."""

import time

from standin.client import connect
from standin.errors import RpcError
from standin.log import plain
from standin.options import Options

OPTIONS = Options("flux dmesg", "[OPTIONS...]", "", "f/follow C/clear c/read-clear n/new H/human d/delta L/color?")


def show(entry: dict) -> None:
    moment = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(entry["time"]))
    print(f"{moment}.{int(entry['time'] % 1 * 1e6):06d}Z {plain(entry)}", flush=True)


def main(_name: str, args: list[str]) -> int:
    OPTIONS.parse(args)
    ended = False

    def answer(payload: dict | None, error: RpcError | None) -> None:
        nonlocal ended
        if error or (payload and "end" in payload):
            ended = True
        elif payload:
            show(payload)

    client = connect("flux-dmesg: flux_open")
    client.send("log.dmesg", {}, answer)
    while not ended:
        client.wait()
    return 0
