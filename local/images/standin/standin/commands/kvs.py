"""`flux kvs eventlog get resource.eventlog`, without what is over. Checked: src/cmd/flux-kvs.c, src/modules/resource/drain.c."""
import sys

from standin.client import connect
from standin.errors import Refusal
from standin.options import NOT_IMPLEMENTED, Options

GET = Options("flux-kvs eventlog get", "[OPTIONS] key", "", "N/namespace= u/unformatted w/watch waitcreate c/count=")
RESOURCES = "resource.eventlog"


def event(host: str, rank: str, drained: dict) -> str:
    return f'{drained["timestamp"]:.6f} drain idset="{rank}" nodelist="{host}" reason="{drained["reason"]}" overwrite=0'


def eventlog_get(args: list[str]) -> int:
    parsed = GET.parse(args)
    if parsed.rest != [RESOURCES]:
        raise Refusal(f"flux-kvs: stand-in: only {RESOURCES} can be read here", NOT_IMPLEMENTED)
    report = connect("flux-kvs: flux_open").call("resource.status", {}, 0)
    for rank, drained in sorted(report["drained"].items(), key=lambda item: item[1]["timestamp"]):
        print(event(report["hosts"][int(rank)], rank, drained))
    return 0


def main(_name: str, args: list[str]) -> int:
    if args[:2] == ["eventlog", "get"]:
        return eventlog_get(args[2:])
    if args:
        raise Refusal(f"flux-kvs: stand-in: {' '.join(args[:2])} is not implemented here", NOT_IMPLEMENTED)
    print("Usage: flux-kvs eventlog get [OPTIONS] key", file=sys.stderr)
    return 1
