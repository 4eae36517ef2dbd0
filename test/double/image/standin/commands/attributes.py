"""`flux getattr` and `setattr`. Checked: src/cmd/builtin/attr.c."""

import sys

from standin.client import connect
from standin.errors import Refusal, RpcError
from standin.options import Options

GETATTR = Options("flux getattr", "name")
SETATTR = Options("flux setattr", "[--force] name value", "f/force")


def getattr_command(args: list[str]) -> int:
    rest = GETATTR.parse(args).rest
    if len(rest) != 1:
        GETATTR.print_usage(sys.stderr)
        return 1
    try:
        print(connect("flux: flux_open").call("attr.get", {"name": rest[0]})["value"])
    except RpcError as error:
        raise Refusal(f"flux-getattr: {rest[0]}: {error.text}") from None
    return 0


def setattr_command(args: list[str]) -> int:
    parsed = SETATTR.parse(args)
    if len(parsed.rest) != 2:
        SETATTR.print_usage(sys.stderr)
        return 1
    name, value = parsed.rest
    try:
        connect("flux: flux_open").call("attr.set", {"name": name, "value": value, "force": parsed.has("force")})
    except RpcError as error:
        raise Refusal(f"flux-setattr: {name}: {error.text}") from None
    return 0


def main(name: str, args: list[str]) -> int:
    return {"getattr": getattr_command, "setattr": setattr_command}[name](args)
