"""`flux content load`, of parts of outputs. Checked: src/cmd/builtin/content.c."""

import base64
import sys

from standin.client import connect
from standin.errors import Refusal, RpcError
from standin.options import NOT_IMPLEMENTED, Options

LOAD = Options("flux-content load", "[OPTIONS] BLOBREF ...", "b/bypass-cache")


def main(_name: str, args: list[str]) -> int:
    if args[:1] != ["load"]:
        raise Refusal(
            "flux-content: stand-in: only `load` of the commands of flux-core is implemented here",
            NOT_IMPLEMENTED,
        )
    parsed = LOAD.parse(args[1:])
    client = connect("flux-content: flux_open")
    for ref in parsed.rest or sys.stdin.read().split():
        try:
            data = client.call("content.load", {"ref": ref}, 0)["data"]
        except RpcError as error:
            sys.stdout.flush()
            raise Refusal(f"flux-content: error loading blob: {error.text}") from None
        sys.stdout.buffer.write(base64.b64decode(data))
        sys.stdout.buffer.flush()
    return 0
