"""`flux ping`. Checked: src/cmd/flux-ping.c."""
import time

from standin.client import connect
from standin.errors import Refusal, RpcError
from standin.options import Options

OPTIONS = Options("flux-ping", "[OPTIONS] target", "r/rank= i/interval= c/count=", "p/pad= b/batch u/userid",
                  mixed=True)


def main(_name: str, args: list[str]) -> int:
    parsed = OPTIONS.parse(args)
    if len(parsed.rest) != 1:
        raise Refusal("Usage: flux-ping [OPTIONS] target")
    target = parsed.rest[0]
    rank = parsed.get("rank") or target.split("!")[0]
    if not rank.isdigit():
        raise Refusal(f"flux-ping: stand-in: only ranks can be pinged here, not {target}", 2)
    count, interval = int(parsed.get("count") or 0), float(parsed.get("interval") or 1)
    client = connect("flux-ping: flux_open")
    print(f"flux-ping {rank}!broker", flush=True)
    number = 0
    while True:
        started = time.monotonic()
        try:
            route = client.call("broker.ping", {}, int(rank))["route"]
        except RpcError as error:
            raise Refusal(f"flux-ping: {rank}!broker.ping: {error.text}") from None
        milliseconds = (time.monotonic() - started) * 1000
        print(f"{rank}!broker.ping pad=0 seq={number} time={milliseconds:.3f} ms ({route})", flush=True)
        number += 1
        if number == count:
            return 0
        time.sleep(interval)
