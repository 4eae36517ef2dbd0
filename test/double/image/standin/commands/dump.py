"""`flux dump OUTFILE`. Checked: src/cmd/builtin/dump.c, flux-dump(1). archive.py defines the format."""

from standin import archive
from standin.client import connect
from standin.errors import Refusal
from standin.options import Options

DUMP = Options(
    "flux-dump", "[OPTIONS] OUTFILE", "q/quiet", "v/verbose checkpoint no-cache ignore-failed-read sd-notify maxreqs="
)


def main(_name: str, args: list[str]) -> int:
    parsed = DUMP.parse(args)
    if len(parsed.rest) != 1:
        raise Refusal("Usage: flux-dump [OPTIONS] OUTFILE")
    content = connect("flux-dump: flux_open").call("content.snapshot", {}, 0)["text"].encode()
    try:
        archive.write(parsed.rest[0], content)
    except OSError as error:
        raise Refusal(f"flux-dump: Failed to open '{parsed.rest[0]}'") from error
    return 0
