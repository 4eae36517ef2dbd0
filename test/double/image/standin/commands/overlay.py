"""`flux overlay status`. Checked: src/cmd/builtin/overlay.c."""

import os
import sys

from standin.client import Client, connect
from standin.duration import format_duration, parse_duration
from standin.errors import Refusal, RpcError
from standin.hostlist import decode_hostlist
from standin.options import NOT_IMPLEMENTED, Options, Parsed

STATUS = Options(
    "flux overlay status",
    "[OPTIONS]",
    "r/rank= v/verbose? t/timeout= no-pretty",
    "summary down no-ghost L/color? w/wait= H/highlight=",
)
ABSENT = ("trace", "errors", "lookup", "parentof", "disconnect")
DEFAULT_TIMEOUT_SECONDS = 0.5


class Tree:
    """Asks one broker after the other, and prints each line at once."""

    def __init__(self, client: Client, parsed: Parsed, timeout: float | None):
        self.client, self.parsed, self.timeout = client, parsed, timeout
        self.names = decode_hostlist(client.call("attr.get", {"name": "hostlist"})["value"])
        self.parents = client.call("overlay.topology", {}, 0)["parents"]
        self.verbose = int(parsed.get("verbose") or 1) if parsed.has("verbose") else 0

    def health(self, rank: int) -> dict:
        return self.client.call("overlay.health", {}, rank, self.timeout)

    def line(self, rank: int, status: str, duration: float | None, error: str, indent: str) -> None:
        since = f" for {format_duration(duration)}" if self.verbose and duration is not None else ""
        print(f"{indent}{rank} {self.names[rank]}: {status}{since}{' ' + error if error else ''}")

    def show(self, node: dict, prefix: str, connector: str) -> None:
        """Prints one broker and all brokers below it."""
        rank, status = node["rank"], node["status"]
        pretty = not self.parsed.has("no-pretty")
        below = {"": "", "├─ ": "│  ", "└─ ": "   "}[connector]
        children, shown = None, status
        if status not in ("offline", "lost"):
            try:
                children = self.health(rank)["children"]
            except RpcError as error:
                shown = os.strerror(error.errnum)
        self.line(rank, shown, node["duration"], node.get("error", ""), prefix + connector if pretty else "")
        if children is None:
            self.show_ghosts(rank, status, prefix + below)
            return
        for index, child in enumerate(children):
            last = index == len(children) - 1
            self.show(child, prefix + below, "└─ " if last else "├─ ")

    def show_ghosts(self, rank: int, status: str, prefix: str) -> None:
        """Prints the brokers below one that doesn't answer. They get its state."""
        children = [r for r, parent in enumerate(self.parents) if parent == rank]
        for index, child in enumerate(children):
            last = index == len(children) - 1
            pretty = not self.parsed.has("no-pretty")
            self.line(child, status, None, "", prefix + ("└─ " if last else "├─ ") if pretty else "")
            self.show_ghosts(child, status, prefix + ("   " if last else "│  "))


def status(args: list[str]) -> int:
    parsed = STATUS.parse(args)
    try:
        given = parsed.get("timeout")
        timeout = parse_duration(given) if given is not None else DEFAULT_TIMEOUT_SECONDS
    except ValueError:
        raise Refusal("flux-overlay: Invalid argument for option 'timeout'") from None
    rank = int(parsed.get("rank") or 0)
    client = connect("flux-overlay: flux_open")
    try:
        tree = Tree(client, parsed, timeout or None)
        tree.show(tree.health(rank), "", "")
    except RpcError as error:
        raise Refusal(f"flux-overlay: {os.strerror(error.errnum)}") from None
    return 0


def main(_name: str, args: list[str]) -> int:
    if args[:1] == ["status"]:
        return status(args[1:])
    if args and args[0] in ABSENT:
        raise Refusal(
            f"flux overlay: stand-in: {args[0]} exists in flux-core but is not implemented here", NOT_IMPLEMENTED
        )
    if args and args[0] not in ("-h", "--help"):
        print(f"flux overlay: Unknown subcommand: {args[0]}", file=sys.stderr)
    print("Usage: flux overlay status [OPTIONS]", file=sys.stderr)
    return 0 if args[:1] in (["-h"], ["--help"]) else 1
