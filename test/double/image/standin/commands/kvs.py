"""`flux kvs version`, `flux kvs sync` and `flux kvs eventlog get resource.eventlog`. There is no key-value store here.

Checked: src/cmd/flux-kvs.c (cmd_version, cmd_sync, cmd_eventlog_get), src/common/libkvs/kvs.c (FLUX_KVS_NAMESPACE),
src/modules/resource/{reslog,drain,inventory}.c (the events).
"""

import json
import os
import sys

from standin.client import connect
from standin.errors import Refusal
from standin.options import NOT_IMPLEMENTED, Options

GET = Options(
    "flux-kvs eventlog get",
    "[OPTIONS] key",
    "",
    "N/namespace= w/watch W/waitcreate c/count= u/unformatted f/format= T/time-format= H/human L/color?",
    mixed=True,
)
VERSION = Options("flux-kvs version", "[OPTIONS]", "", "N/namespace=")
SYNC = Options("flux-kvs sync", "")


def main(_name: str, args: list[str]) -> int:
    if not args:
        print("Usage: flux-kvs eventlog get [OPTIONS] key", file=sys.stderr)
        return 1
    if args[0] == "version":
        return print_version(args[1:])
    if args[0] == "sync":
        SYNC.parse(args[1:])
        connect("flux-kvs: flux_open").call("content.sync", {}, 0)
        return 0
    if args[:2] != ["eventlog", "get"]:
        raise Refusal(
            f"flux-kvs: stand-in: `flux kvs {' '.join(args[:2])}` exists in flux-core but is not implemented here",
            NOT_IMPLEMENTED,
        )
    parsed = GET.parse(args[2:])
    if parsed.rest != ["resource.eventlog"]:
        raise Refusal("flux-kvs: stand-in: only resource.eventlog can be read here", NOT_IMPLEMENTED)
    if os.environ.get("FLUX_KVS_NAMESPACE", "primary") != "primary":
        raise Refusal("flux-kvs: resource.eventlog: No such file or directory")
    for event in connect("flux-kvs: flux_open").call("resource.events", {}, 0)["events"]:
        pairs = "".join(f" {key}={json.dumps(value)}" for key, value in event["context"].items())
        print(f"{event['timestamp']:.6f} {event['name']}{pairs}")
    return 0


def print_version(args: list[str]) -> int:
    VERSION.parse(args)
    print(connect("flux-kvs: flux_open").call("kvs.getroot", {}, 0)["rootseq"])
    return 0
