"""`flux job memo`. Checked: src/cmd/job/memo.c."""

import json
import sys
from collections.abc import Callable

from standin.client import connect
from standin.errors import Refusal, RpcError
from standin.options import Options

MEMO = Options("flux-job memo", "[--volatile] id key=value ...", "volatile", mixed=True)


def memo(args: list[str], identify: Callable[[str], int]) -> int:
    parsed = MEMO.parse(args)
    if len(parsed.rest) < 2:
        MEMO.print_usage(sys.stderr)
        return 1
    payload = {"id": identify(parsed.rest[0]), "memo": memo_in(parsed.rest[1:])}
    try:
        connect("flux-job: flux_open").call("job-manager.memo", payload, 0)
    except RpcError as error:
        raise Refusal(f"flux-job: memo: {error.text}") from None
    return 0


def memo_in(words: list[str]) -> dict:
    """The memo of words such as KEY=VALUE or KEY.KEY=VALUE. A value that isn't JSON is a text."""
    memo: dict = {}
    for word in words:
        path, equals, text = word.partition("=")
        if not equals:
            raise Refusal(f"flux-job: memo: no value for key={path}")
        *outer, last = path.split(".")
        place = memo
        for key in outer:
            place = place.setdefault(key, {})
        try:
            place[last] = json.loads(text)
        except ValueError:
            place[last] = text
    return memo
