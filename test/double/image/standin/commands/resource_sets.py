"""`flux R encode` and `decode`. Checked: src/cmd/flux-R.c."""

import json
import socket
import sys

from standin.errors import Refusal
from standin.hostlist import decode_hostlist, encode_hostlist
from standin.idset import decode_idset, encode_idset
from standin.options import NOT_IMPLEMENTED, Options
from standin.resources import Node, decode_resources, encode_resources, local_cores

ENCODE = Options("flux-R encode", "[OPTIONS]...", "r/ranks= c/cores= g/gpus= H/hosts= p/property= l/local", "f/xml=")
DECODE = Options(
    "flux-R decode", "[OPTIONS]...", "s/short n/nodelist r/ranks c/count= i/include= x/exclude=", "p/properties="
)
ABSENT = ("append", "diff", "intersect", "parse-config", "remap", "rerank", "verify", "set-property")


def ids(option: str, text: str) -> list[int]:
    try:
        return decode_idset(text)
    except ValueError:
        raise Refusal(f"flux-R: Failed to decode {option}='{text}' as idset") from None


def hosts_and_ranks(ranks: str | None, hosts: str | None) -> tuple[list[str], list[int]]:
    try:
        names = decode_hostlist(hosts) if hosts is not None else None
    except ValueError:
        raise Refusal(f"flux-R: invalid hostlist '{hosts}'") from None
    if ranks is None:
        names = names if names is not None else [socket.gethostname()]
        return names, list(range(len(names)))
    numbers = ids("ranks", ranks)
    if names is None:
        names = [socket.gethostname()] * len(numbers)
    if len(names) != len(numbers):
        raise Refusal(f"flux-R: hostname count in '{hosts}' does not match nranks ({len(numbers)})")
    return names, numbers


def encode(args: list[str]) -> int:
    parsed = ENCODE.parse(args)
    cores, gpus = parsed.get("cores", "") or "", parsed.get("gpus", "") or ""
    if parsed.has("local") and (cores or gpus):
        raise Refusal("flux-R: do not specify --cores or --gpus with --local or --xml")
    if not cores and not gpus:
        cores = "0"
    hosts, ranks = hosts_and_ranks(parsed.get("ranks"), parsed.get("hosts"))
    core_ids = local_cores() if parsed.has("local") else ids("cores", cores)
    nodes = [Node(rank, host, core_ids, ids("gpus", gpus)) for rank, host in zip(ranks, hosts, strict=True)]
    for setting in parsed.all("property"):
        name, colon, where = setting.partition(":")
        chosen = ids("property", where) if colon else ranks
        for node in nodes:
            if node.rank in chosen:
                node.properties.add(name)
    print(json.dumps(encode_resources(nodes)))
    return 0


def read_all() -> list[Node]:
    """Reads one or more R objects from standard input."""
    text, decoder = sys.stdin.read().strip(), json.JSONDecoder()
    nodes: list[Node] = []
    if not text:
        raise Refusal("flux-R: Failed to read an R object: '[' or '{' expected near end of file")
    while text:
        try:
            found, end = decoder.raw_decode(text)
        except ValueError as error:
            raise Refusal(f"flux-R: Failed to read an R object: {error}") from None
        nodes += decode_resources(found)
        text = text[end:].lstrip()
    return sorted(nodes, key=lambda node: node.rank)


def short_form(nodes: list[Node]) -> str:
    """The form `rank[0-3]/core[0-1],gpu0`."""
    groups: dict[str, list[int]] = {}
    for node in nodes:
        parts = [
            f"{kind}{encode_idset(found, brackets=True)}"
            for kind, found in (("core", node.cores), ("gpu", node.gpus))
            if found
        ]
        groups.setdefault(",".join(parts), []).append(node.rank)
    return " ".join(f"rank{encode_idset(ranks, brackets=True)}/{children}" for children, ranks in groups.items())


def decode(args: list[str]) -> int:
    parsed = DECODE.parse(args)
    nodes = read_all()
    if parsed.has("include"):
        nodes = [node for node in nodes if node.rank in ids("include", parsed.get("include") or "")]
    if parsed.has("exclude"):
        nodes = [node for node in nodes if node.rank not in ids("exclude", parsed.get("exclude") or "")]
    shown = False
    for name, _ in parsed.given:
        text = {
            "short": short_form(nodes),
            "nodelist": encode_hostlist(node.host for node in nodes),
            "ranks": encode_idset(node.rank for node in nodes),
            "count": count(nodes, parsed.get("count")),
        }.get(name)
        if text is not None:
            print(text)
            shown = True
    if not shown:
        print(json.dumps(encode_resources(nodes)))
    return 0


def count(nodes: list[Node], kind: str | None) -> str:
    if kind in ("ranks", "node"):
        return str(len(nodes))
    return str(sum(len(node.cores if kind == "core" else node.gpus if kind == "gpu" else []) for node in nodes))


def main(_name: str, args: list[str]) -> int:
    known = {"encode": encode, "decode": decode}
    if args and args[0] in known:
        return known[args[0]](args[1:])
    if args and args[0] in ABSENT:
        raise Refusal(f"flux-R: stand-in: {args[0]} exists in flux-core but is not implemented here", NOT_IMPLEMENTED)
    print("Usage: flux-R encode|decode [OPTIONS]...", file=sys.stderr)
    return 0 if args[:1] in (["--help"], ["-h"]) else 1
