"""`flux kvs version`, `flux kvs sync`, `flux kvs eventlog get resource.eventlog`, and `flux kvs get --treeobj` of
outputs. There is no other key-value store here.

Checked: src/cmd/flux-kvs.c (cmd_version, cmd_sync, cmd_eventlog_get, cmd_get),
src/common/libkvs/kvs.c (FLUX_KVS_NAMESPACE),
src/modules/resource/{reslog,drain,inventory}.c (the events).
"""

import json
import os
import sys

from standin.client import connect
from standin.errors import Refusal, RpcError
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
LOOKUP = Options(
    "flux-kvs get",
    "[OPTIONS] key [key...]",
    "t/treeobj",
    "N/namespace= r/raw l/label a/at= w/watch W/waitcreate u/uniq A/append S/stream f/full c/count=",
)


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
    if args[0] == "get":
        return print_output(args[1:])
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


def print_output(args: list[str]) -> int:
    parsed = LOOKUP.parse(args)
    if not parsed.has("treeobj") or len(parsed.rest) != 1:
        raise Refusal("flux-kvs: stand-in: only one key can be read here, and only with --treeobj", NOT_IMPLEMENTED)
    try:
        tree = connect("flux-kvs: flux_open").call("kvs.lookup", {"key": parsed.rest[0]}, 0)
    except RpcError as error:
        raise Refusal(f"flux-kvs: {parsed.rest[0]}: {error.text}") from None
    print(json.dumps(tree, separators=(",", ":")))
    return 0


def print_version(args: list[str]) -> int:
    VERSION.parse(args)
    print(connect("flux-kvs: flux_open").call("kvs.getroot", {}, 0)["rootseq"])
    return 0
