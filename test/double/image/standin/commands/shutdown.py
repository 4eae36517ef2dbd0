"""`flux shutdown`. Checked: src/cmd/builtin/shutdown.c."""

import sys

from standin.client import connect
from standin.errors import Refusal, RpcError
from standin.options import Options

OPTIONS = Options("flux shutdown", "[OPTIONS]", "background quiet v/verbose? y/yes n/no skip-gc", "gc dump=")


def main(_name: str, args: list[str]) -> int:
    parsed = OPTIONS.parse(args)
    client = connect("flux-shutdown: error connecting to Flux")
    level = -1 if parsed.has("quiet") else 6
    if parsed.has("verbose"):
        level = 7
    ended = False

    def answer(payload: dict | None, error: RpcError | None) -> None:
        nonlocal ended
        if error:
            raise Refusal(f"flux-shutdown: {error.text}")
        if payload and "log" in payload:
            print(payload["log"], file=sys.stderr)
        ended = ended or bool(payload and "end" in payload)

    client.send("shutdown.start", {"background": parsed.has("background"), "level": level}, answer, 0)
    while not ended:
        try:
            client.wait()
        except RpcError:
            break
    return 0
