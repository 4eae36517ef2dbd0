"""Constraints on the nodes of a job: the syntax of RFC 35, the objects of RFC 31.

Checked: src/bindings/python/flux/constraint/parser.py, src/bindings/python/flux/cli/base.py (MiniConstraintParser),
src/common/librlist/match.c.
"""

import re

from .hostlist import decode_hostlist
from .idset import decode_idset
from .resources import Node

TOKENS = re.compile(
    r"""\s*(?:(?P<negate>-)|(?P<not>not\b)|(?P<and>&{1,2}|and\b)|(?P<or>\|{1,2}|or\b)|(?P<open>\()|(?P<close>\))
    |(?P<quoted>"[^"]+"|'[^']+')|(?P<token>[^()|&\s"']+))""",
    re.VERBOSE,
)
SHORT = {"host": "hostlist", "hosts": "hostlist", "rank": "ranks"}
OPERATORS = ("properties", "hostlist", "ranks")


def parse_constraint(text: str) -> dict:
    """The object of RFC 31. Raises ValueError for what Flux refuses."""
    parser = Parser(split(text), text)
    found = parser.alternatives()
    if parser.words:
        raise ValueError(f"Invalid token '{parser.words[0][1]}' in '{text}'")
    return found


def split(text: str) -> list[tuple[str, str]]:
    """The words with their kinds. A word that ends with ':' takes the next one as its value."""
    words: list[tuple[str, str]] = []
    at, text = 0, text.rstrip()
    while at < len(text):
        match = TOKENS.match(text, at)
        if not match or not match.lastgroup:
            raise ValueError(f"Unclosed quote at position {at}")
        kind, word, at = match.lastgroup, match.group(match.lastgroup), match.end()
        if kind == "quoted":
            kind, word = "token", word[1:-1]
        if kind == "token" and words and words[-1][0] == "token" and words[-1][1].endswith(":"):
            words[-1] = ("token", words[-1][1] + word)
        else:
            words.append((kind, word))
    if words and words[-1][1].endswith(":"):
        raise ValueError(f"Missing argument to token '{words[-1][1]}'")
    return words


class Parser:
    """Reads words: `or` binds least, then `and` (or nothing between two terms), then `not`."""

    def __init__(self, words: list[tuple[str, str]], text: str):
        self.words, self.text = words, text

    def take(self, *kinds: str) -> str | None:
        return self.words.pop(0)[1] if self.words and self.words[0][0] in kinds else None

    def alternatives(self) -> dict:
        found = [self.conjunction()]
        while self.take("or"):
            found.append(self.conjunction())
        return found[0] if len(found) == 1 else {"or": found}

    def conjunction(self) -> dict:
        found = [self.term()]
        while self.words and self.words[0][0] not in ("or", "close"):
            self.take("and")
            found.append(self.term())
        return combined(found)

    def term(self) -> dict:
        if self.take("not"):
            return {"not": [self.term()]}
        if self.take("open"):
            found = self.alternatives()
            if not self.take("close"):
                raise ValueError("Unclosed parenthesis")
            return found
        negated = self.take("negate")
        word = self.take("token")
        if word is None:
            raise ValueError(f"Unexpected end of input in '{self.text}'")
        return {"not": [operation(word)]} if negated else operation(word)


def operation(word: str) -> dict:
    operator, colon, value = word.partition(":")
    if not colon:
        return {"properties": word.split(",")}
    operator = SHORT.get(operator, operator)
    return {operator: value.split(",") if operator == "properties" else [value]}


def combined(found: list[dict]) -> dict:
    """Joins terms by `and`. Properties side by side become one list."""
    terms: list[dict] = []
    for term in found:
        same = next((one for one in terms if "properties" in one and "properties" in term), None)
        if same:
            same["properties"] += term["properties"]
        else:
            terms.append(term)
    return terms[0] if len(terms) == 1 else {"and": terms}


def check_constraint(constraint: dict, hosts: list[str]) -> None:
    """Raises ValueError for an unknown operator, malformed ranks, and hosts that the instance doesn't have."""
    for operator, values in constraint.items():
        if operator in ("and", "or", "not"):
            for value in values:
                check_constraint(value, hosts)
        elif operator not in OPERATORS:
            raise ValueError(f"unknown constraint operator '{operator}'")
        elif operator == "ranks":
            for value in values:
                decode_idset(value)
        elif operator == "hostlist":
            missing = [name for value in values for name in decode_hostlist(value) if name not in hosts]
            if missing:
                raise ValueError(f"host constraint contains invalid hosts: host '{missing[0]}' not found")


def matches(constraint: dict | None, node: Node) -> bool:
    """True if a job with this constraint may run on the node."""
    return all(matches_one(operator, values, node) for operator, values in (constraint or {}).items())


def matches_one(operator: str, values: list, node: Node) -> bool:
    if operator == "or":
        return any(matches(value, node) for value in values)
    if operator in ("and", "not"):
        return all(matches(value, node) for value in values) == (operator == "and")
    if operator == "hostlist":
        return any(node.host in decode_hostlist(value) for value in values)
    if operator == "ranks":
        return any(node.rank in decode_idset(value) for value in values)
    return all(has_property(value, node) for value in values)


def has_property(name: str, node: Node) -> bool:
    """A host's name is one of its properties, and `^` negates."""
    found = name.removeprefix("^") in {*node.properties, node.host}
    return found != name.startswith("^")
