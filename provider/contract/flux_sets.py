"""Reads Flux' sets: idsets of RFC 22, and resource sets of RFC 20."""


def numbers_in(idset: str) -> "set[int]":
    """The numbers of an idset of RFC 22, such as 0,3-5 or [0,3-5]."""
    numbers = set()
    for part in idset.strip("[]").split(","):
        first, _, last = part.partition("-")
        if first.strip():
            numbers.update(range(int(first), int(last or first) + 1))
    return numbers


def amounts_in(resources: "dict | None"):
    """The numbers of cores and GPUs of each rank of a resource set."""
    found = {}
    for entry in (resources or {}).get("execution", {}).get("R_lite", []):
        children = entry["children"]
        amounts = len(numbers_in(children.get("core", ""))), len(numbers_in(children.get("gpu", "")))
        for number in numbers_in(str(entry["rank"])):
            found[number] = amounts
    return found
