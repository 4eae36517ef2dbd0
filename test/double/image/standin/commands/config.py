"""`flux config get`. Checked: src/cmd/builtin/config.c."""

import json
import sys

from standin.client import connect
from standin.config import read_config
from standin.duration import parse_duration
from standin.errors import Refusal
from standin.options import NOT_IMPLEMENTED, Options

GET = Options("flux config get", "[--type=TYPE] [NAME]", "c/config-path= t/type= q/quiet d/default=", mixed=True)
ABSENT = ("load", "reload", "builtin")


def get(args: list[str]) -> int:
    parsed = GET.parse(args)
    path = parsed.get("config-path")
    value: object = read_config(path) if path else connect("flux-config: flux_open").call("config.get")["config"]
    name = parsed.rest[0] if parsed.rest else ""
    for key in filter(None, name.split(".")):
        if not isinstance(value, dict) or key not in value:
            if parsed.get("default") is not None:
                print(parsed.get("default"))
                return 0
            raise Refusal("" if parsed.has("quiet") else f"flux-config: {name} is not set")
        value = value[key]
    if not parsed.has("quiet"):
        print(shown(value, parsed.get("type"), name))
    return 0


def shown(value: object, kind: str | None, name: str) -> str:
    kinds: dict[str, type] = {
        "string": str,
        "integer": int,
        "boolean": bool,
        "object": dict,
        "array": list,
        "real": float,
    }
    if kind and kind.startswith("fsd"):
        try:
            seconds = parse_duration(str(value))
        except ValueError:
            raise Refusal(f"flux-config: value of {name} is not a valid FSD") from None
        return {"fsd": str(value), "fsd-integer": str(int(seconds))}.get(kind, str(seconds))
    if kind and kind != "any" and not isinstance(value, kinds.get(kind, object)):
        raise Refusal(f"flux-config: value of {name} does not have type {kind}")
    return value if isinstance(value, str) else json.dumps(value, separators=(",", ":"))


def main(_name: str, args: list[str]) -> int:
    if args[:1] == ["get"]:
        return get(args[1:])
    if args and args[0] in ABSENT:
        raise Refusal(
            f"flux-config: stand-in: {args[0]} exists in flux-core but is not implemented here", NOT_IMPLEMENTED
        )
    print("Usage: flux config get [--type=TYPE] [NAME]", file=sys.stderr)
    return 1
