"""Output formats: `{field:>8} ?:{field}`. Checked: src/bindings/python/flux/util.py (OutputFormat)."""

import re

from .duration import format_duration
from .errors import Refusal

FIELD = re.compile(r"(?P<prefix>(?:\?\+?:|\+:|\?:\+?)?)\{(?P<name>[\w.]*)(?:!(?P<how>\w))?(?::(?P<spec>[^{}]*))?\}")


def field_names(text: str) -> list[str]:
    return [match.group("name") for match in FIELD.finditer(text)]


def check_fields(program: str, text: str, known: dict[str, str]) -> None:
    for name in field_names(text):
        if name not in known:
            raise Refusal(f"{program}: ERROR: Error in user format: Unknown format field: {name}")


def shown(value: object, how: str | None, spec: str) -> str:
    if how == "F" and isinstance(value, (int, float)):
        value = format_duration(float(value), 4)
    if value is None:
        value = ""
    if how == "a":
        value = ascii(value)
    spec = re.sub(r"\+$", "", spec)
    if spec.endswith("h"):
        spec, value = spec[:-1], "-" if value in ("", None, 0, 0.0) else value
    spec = spec if isinstance(value, (int, float)) and not isinstance(value, bool) else re.sub(r"\.\d+f$", "", spec)
    if isinstance(value, str) and spec.startswith(":"):
        spec = spec[1:]
    try:
        text = format(value, spec)
    except ValueError:
        text = format(str(value), spec)
    precision = re.search(r"\.(\d+)$", spec)
    if precision and isinstance(value, str) and len(value) > int(precision.group(1)):
        text = text.rstrip()[: int(precision.group(1)) - 1] + "+"
    return text


def has_content(rows: list[dict], name: str) -> bool:
    return any(row.get(name) not in ("", None, 0, "0") for row in rows)


def render(text: str, headings: dict[str, str], rows: list[dict], header: bool) -> list[str]:
    """The lines of a table. A column that is marked `?:` is left out if it is empty in all rows."""

    def drop(match: re.Match) -> str:
        collapses = match.group("prefix").startswith("?")
        if collapses and not has_content(rows, match.group("name")):
            return ""
        spec = f":{match.group('spec')}" if match.group("spec") is not None else ""
        how = f"!{match.group('how')}" if match.group("how") else ""
        return "{" + match.group("name") + how + spec + "}"

    plain = FIELD.sub(drop, text)
    if "?" in text:
        plain = re.sub(r" +(?=\{)", " ", plain)
    lines = []
    if header:
        lines.append(fill(plain, headings, True))
    lines += [fill(plain, row, False) for row in rows]
    return lines


def fill(text: str, row: dict, heading: bool) -> str:
    def replace(match: re.Match) -> str:
        spec = match.group("spec") or ""
        if heading:
            spec = re.sub(r"[.]\d+[fdh]?\+?$|[dfh]$", "", spec)
        return shown(row.get(match.group("name"), ""), None if heading else match.group("how"), spec)

    return FIELD.sub(replace, text)
