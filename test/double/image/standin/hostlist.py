"""Host names in the form `mc-[0-3]` (RFC 29). Checked: src/common/libhostlist/."""

import re
from collections.abc import Iterable

NUMBERED = re.compile(r"(.*?)(\d+)$", re.DOTALL)
RANGE = re.compile(r"(\d+)(?:-(\d+))?$")


def split_items(text: str) -> list[str]:
    """Splits at commas and blanks outside of brackets."""
    items, depth, current = [], 0, ""
    for char in text:
        if char == "[":
            depth += 1
        elif char == "]":
            depth -= 1
        if depth not in (0, 1):
            raise ValueError(f"unbalanced brackets in {text!r}")
        if char in ", \t\n" and depth == 0:
            items.append(current)
            current = ""
        else:
            current += char
    if depth != 0:
        raise ValueError(f"unbalanced brackets in {text!r}")
    return [item for item in [*items, current] if item]


def expand_ranges(text: str) -> list[str]:
    """`08-10,12` becomes 08, 09, 10, 12. All numbers of a range have the width of its first."""
    numbers = []
    for item in text.split(","):
        match = RANGE.match(item)
        if not match:
            raise ValueError(f"invalid range {item!r}")
        first, last = match.group(1), match.group(2) or match.group(1)
        if int(last) < int(first):
            raise ValueError(f"invalid range {item!r}")
        numbers += [str(n).zfill(len(first)) for n in range(int(first), int(last) + 1)]
    return numbers


def expand_item(item: str) -> list[str]:
    """Expands all brackets of one item. The rightmost one varies fastest."""
    start = item.find("[")
    if start < 0:
        if "]" in item:
            raise ValueError(f"unbalanced brackets in {item!r}")
        return [item]
    end = item.index("]", start)
    numbers = expand_ranges(item[start + 1 : end])
    return [item[:start] + number + rest for number in numbers for rest in expand_item(item[end + 1 :] or "")]


def decode_hostlist(text: str) -> list[str]:
    """All names, in order and with duplicates. Raises ValueError for an invalid list."""
    return [name for item in split_items(text) for name in (expand_item(item) if item else [])]


def encode_hostlist(names: Iterable[str]) -> str:
    """The short form: consecutive names with a common prefix share one bracket."""
    groups: list[tuple[str, list[str]]] = []
    for name in names:
        match = NUMBERED.match(name)
        if match and groups and groups[-1][1] and groups[-1][0] == match.group(1):
            groups[-1][1].append(match.group(2))
        elif match:
            groups.append((match.group(1), [match.group(2)]))
        else:
            groups.append((name, []))
    return ",".join(encode_group(prefix, numbers) for prefix, numbers in groups)


def encode_group(prefix: str, numbers: list[str]) -> str:
    """One prefix and its numbers. Consecutive numbers of the same width become a range."""
    if len(numbers) <= 1:
        return prefix + "".join(numbers)
    runs: list[list[str]] = []
    for number in numbers:
        follows = runs and int(runs[-1][1]) + 1 == int(number) and number == str(int(number)).zfill(len(runs[-1][1]))
        if follows:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return prefix + "[" + ",".join(a if a == b else f"{a}-{b}" for a, b in runs) + "]"
