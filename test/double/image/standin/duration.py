"""Flux Standard Duration (RFC 23): `1.5s`, `2m`, `infinity`. Checked: src/common/libutil/fsd.c."""

import math
import re

UNITS = {"": 1.0, "ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
NUMBER = re.compile(r"\s*([+-]?(?:\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?))([a-z]*)$")


def parse_duration(text: str) -> float:
    """The duration in seconds. Raises ValueError if flux-core would refuse it."""
    if text.strip().lower() in ("inf", "infinity", "+inf", "+infinity"):
        return math.inf
    match = NUMBER.match(text)
    if not match or match.group(2) not in UNITS:
        raise ValueError(f"invalid duration {text!r}")
    seconds = float(match.group(1)) * UNITS[match.group(2)]
    if seconds < 0:
        raise ValueError(f"negative duration {text!r}")
    return seconds


def format_duration(seconds: float, digits: int = 6) -> str:
    """The duration with a unit that fits it. Six significant digits are the default."""
    if math.isinf(seconds):
        return "infinity"
    if seconds < 0.1 and seconds != 0:
        return f"{seconds * 1000:.{digits}g}ms"
    for limit, unit, divisor in ((60, "s", 1), (3600, "m", 60), (86400, "h", 3600)):
        if seconds < limit:
            return f"{seconds / divisor:.{digits}g}{unit}"
    return f"{seconds / 86400:.{digits}g}d"
