"""`flux ping`. Checked: src/cmd/flux-ping.c (parse_service, ping)."""

import os
import time

from standin.client import connect
from standin.errors import Refusal, RpcError
from standin.options import Options

OPTIONS = Options(
    "flux-ping", "[OPTIONS] target", "r/rank= i/interval= c/count=", "p/pad= b/batch u/userid", mixed=True
)


def parse_target(target: str, option: str | None) -> tuple[str | None, str]:
    """(rank, service) of `SERVICE`, `RANK` or `RANK!SERVICE`, and --rank."""
    rank, mark, service = target.partition("!")
    if mark and option is not None:
        raise Refusal("flux-ping: --rank and TARGET both try to specify a nodeid")
    if not mark and (option is not None or not target.isdigit()):
        rank, service = option, target
    if rank is not None and rank not in ("any", "upstream") and not rank.isdigit():
        raise Refusal(f"flux-ping: unable to parse rank: {rank}")
    return None if rank == "any" else rank, service or "broker"


def main(_name: str, args: list[str]) -> int:
    parsed = OPTIONS.parse(args)
    if len(parsed.rest) != 1:
        OPTIONS.print_usage()
        return 1
    rank, service = parse_target(parsed.rest[0], parsed.get("rank"))
    count, interval = int(parsed.get("count") or 0), float(parsed.get("interval") or 1)
    client = connect("flux-ping: flux_open")
    print(f"flux-ping {rank or 'any'}!{service}", flush=True)
    number = 0
    while True:
        started = time.monotonic()
        try:
            answer = client.call(f"{service}.ping", {}, None if rank is None else int(rank))
        except RpcError as error:
            where = f"{rank}!" if rank is not None else ""
            raise Refusal(f"flux-ping: {where}{service}.ping: {os.strerror(error.errnum)}") from None
        milliseconds = (time.monotonic() - started) * 1000
        print(
            f"{answer['rank']}!{service}.ping pad=0 seq={number} time={milliseconds:.3f} ms ({answer['route']})",
            flush=True,
        )
        number += 1
        if number == count:
            return 0
        time.sleep(interval)
