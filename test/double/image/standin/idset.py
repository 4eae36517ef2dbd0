"""Sets of small integers in the form `0-3,7` (RFC 22). Checked: src/common/libidset/idset_decode.c."""

import re
from collections.abc import Iterable

ITEM = re.compile(r"(\d+)(?:-(\d+))?$")


def decode_idset(text: str) -> list[int]:
    """The ids, sorted. The set may be in brackets. Raises ValueError for descending or repeated ids."""
    inner = text.strip()
    if inner.startswith("[") and inner.endswith("]"):
        inner = inner[1:-1]
    if not inner:
        return []
    ids: list[int] = []
    for item in inner.split(","):
        match = ITEM.match(item)
        if not match:
            raise ValueError(f"invalid idset {text!r}")
        first = int(match.group(1))
        last = int(match.group(2)) if match.group(2) else first
        if last < first or (ids and first <= ids[-1]):
            raise ValueError(f"invalid idset {text!r}")
        ids.extend(range(first, last + 1))
    return ids


def encode_idset(ids: Iterable[int], brackets: bool = False) -> str:
    """The form `0-3,7`. With `brackets`, several ids get the form `[0-3,7]`."""
    ordered = sorted(set(ids))
    runs: list[list[int]] = []
    for value in ordered:
        if runs and runs[-1][1] == value - 1:
            runs[-1][1] = value
        else:
            runs.append([value, value])
    text = ",".join(str(a) if a == b else f"{a}-{b}" for a, b in runs)
    return f"[{text}]" if brackets and len(ordered) > 1 else text
