"""Checks the keys and types of configuration tables, with the messages of jansson's json_unpack_ex.

A layout maps keys to types. `ANY` accepts all values (a nested table has its own check). With `strict`, flux-core
refuses other keys.
"""

from collections.abc import Mapping

from .errors import Refusal

ANY = object
KIND: dict[type, str] = {
    str: "string",
    bool: "true or false",
    int: "integer",
    float: "real",
    dict: "object",
    list: "array",
}


def kind_of(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return KIND.get(type(value), "string")


def fits(value: object, wanted: type) -> bool:
    if wanted is ANY:
        return True
    if wanted is int:
        return isinstance(value, int) and not isinstance(value, bool)
    if wanted is float:
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    return isinstance(value, wanted)


def problem_in(table: object, layout: Mapping[str, type], strict: bool, required: tuple[str, ...] = ()) -> str | None:
    """The error message of json_unpack_ex for this table, or None."""
    if not isinstance(table, dict):
        return f"Expected object, got {kind_of(table)}"
    for key in required:
        if key not in table:
            return f"Object item not found: {key}"
    for key, wanted in layout.items():
        if key in table and not fits(table[key], wanted):
            name = "real or integer" if wanted is float else KIND[wanted]
            return f"Expected {name}, got {kind_of(table[key])}"
    extra = [key for key in table if key not in layout]
    if strict and extra:
        return f"{len(extra)} object item(s) left unpacked: {', '.join(extra)}"
    return None


def check_table(table: object, layout: Mapping[str, type], strict: bool, prefix: str) -> None:
    problem = problem_in(table, layout, strict)
    if problem:
        raise Refusal(f"{prefix}: {problem}")
