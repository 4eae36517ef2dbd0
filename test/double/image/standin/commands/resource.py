"""`flux resource`. Checked: src/cmd/flux-resource.py, src/bindings/python/flux/resource/{list,status}.py."""

import errno
import sys
import time

from standin.client import connect_python
from standin.commands.resource_sets import short_form
from standin.errors import Refusal, RpcError
from standin.hostlist import decode_hostlist, encode_hostlist
from standin.idset import decode_idset, encode_idset
from standin.options import NOT_IMPLEMENTED, Options, Parsed
from standin.resources import decode_resources
from standin.table import check_fields, field_names, render

PROGRAM = "flux-resource"
PLAIN_ERRORS = (errno.ENOENT, errno.EINVAL, errno.EAGAIN)


def options(name: str, done: str, real: str = "") -> Options:
    return Options(f"flux-resource {name}", "[OPTIONS]", done, real, style="argparse", mixed=True)


LIST = options(
    "list",
    "o/format= s/states= state= n/no-header i/include= skip-empty no-skip-empty",
    "q/queue= from-stdin config-file=",
)
STATUS = options(
    "status",
    "o/format= s/states= state= n/no-header i/include= skip-empty L/color?",
    "q/queue= from-stdin config-file=",
)
DRAIN = options("drain", "f/force u/update o/format= n/no-header i/include= L/color?", "q/queue= from-stdin")
UNDRAIN = options("undrain", "f/force u/update")
ABSENT = ("acquire-mute", "reload", "eventlog", "info", "R")

LIST_FORMATS = {
    "default": "{state:>10} ?+:{queue:<5} ?:{propertiesx:<10.10+} {nnodes:>6} {ncores:>6} {ngpus:>5} {nodelist}",
    "rlist": "{state:>10} ?+:{queue:<5} ?:{propertiesx:<10.10+} {nnodes:>6} {ncores:>6} {ngpus:>5} {rlist}",
}
LIST_HEADINGS = {
    "state": "STATE",
    "queue": "QUEUE",
    "properties": "PROPERTIES",
    "propertiesx": "PROPERTIES",
    "nnodes": "NNODES",
    "ncores": "NCORES",
    "ngpus": "NGPUS",
    "ranks": "RANKS",
    "nodelist": "NODELIST",
    "rlist": "LIST",
}
LIST_STATES = ("up", "down", "allocated", "free", "all")
STATUS_FORMATS = {
    "default": "{state:>12}{up:>2} {nnodes:>6} {nodelist}",
    "long": "{state:>12}{up:>2} {nnodes:>6} +:{reason:<30.30} {nodelist}",
}
STATUS_HEADINGS = {
    "state": "STATE",
    "statex": "STATE",
    "nnodes": "NNODES",
    "ranks": "RANKS",
    "nodelist": "NODELIST",
    "reason": "REASON",
    "timestamp": "TIME",
    "status": "STATUS",
    "up": "UP",
    "up.ascii": "UP",
}
STATUS_STATES = ("all", "online", "offline", "avail", "exclude", "draining", "drained", "drain", "allocated", "torpid")
DRAIN_FORMATS = {
    "default": "{timestamp_text::<12} {state:<8.8} {reason:<30.30+} {nodelist}",
    "long": "{timestamp_text::<12} {state:<8.8} {ranks:<8.8+} +:{reason:<30.30} {nodelist}",
}
DRAIN_HEADINGS = {**STATUS_HEADINGS, "timestamp_text": "TIME"}


def ask(topic: str, payload: dict | None = None) -> dict:
    try:
        return connect_python(PROGRAM).call(topic, payload or {}, 0)
    except RpcError as error:
        text = error.text if error.errnum in PLAIN_ERRORS else f"[Errno {error.errnum}] {error.text}"
        raise Refusal(f"{PROGRAM}: ERROR: {text}", 1, error.errnum) from None


def chosen_states(parsed: Parsed, valid: tuple[str, ...], default: str, hint: bool = False) -> list[str]:
    states = (parsed.get("states") or parsed.get("state") or default).split(",")
    for state in states:
        if state not in valid:
            more = f"\n{PROGRAM}: INFO: valid states: {','.join(valid)}" if hint else ""
            raise Refusal(f"{PROGRAM}: ERROR: Invalid resource state {state} specified{more}")
    return states


def included(report: dict, parsed: Parsed) -> set[int] | None:
    """The ranks of --include, an idset or a hostlist."""
    text = parsed.get("include")
    if text is None:
        return None
    try:
        return set(decode_idset(text))
    except ValueError:
        return {report["hosts"].index(host) for host in decode_hostlist(text) if host in report["hosts"]}


def sets_of(report: dict, only: set[int] | None) -> dict:
    """The nodes of each state. `free` has the cores and GPUs that are up and not allocated."""
    everything = decode_resources(report["all"])
    down = {node.rank for node in decode_resources(report["down"])}
    taken = {node.rank: node for node in decode_resources(report["allocated"])}
    free = []
    for node in decode_resources(report["all"]):
        used = taken.get(node.rank)
        if used:
            node.cores = [c for c in node.cores if c not in used.cores]
            node.gpus = [g for g in node.gpus if g not in used.gpus]
        if node.rank not in down and (node.cores or node.gpus):
            free.append(node)
    sets = {
        "all": everything,
        "down": [n for n in everything if n.rank in down],
        "up": [n for n in everything if n.rank not in down],
        "free": free,
        "allocated": list(taken.values()),
    }
    return {state: [n for n in nodes if only is None or n.rank in only] for state, nodes in sets.items()}


def union(parts: list[list]) -> list:
    """The nodes of all states together, for a format without {state}, which shows one line."""
    nodes = {}
    for node in (node for part in parts for node in part):
        known = nodes.setdefault(node.rank, node)
        known.cores = sorted({*known.cores, *node.cores})
        known.gpus = sorted({*known.gpus, *node.gpus})
    return [nodes[rank] for rank in sorted(nodes)]


def list_row(state: str, nodes: list) -> dict:
    return {
        "state": state,
        "queue": "",
        "nnodes": len({n.rank for n in nodes}),
        "ncores": sum(len(n.cores) for n in nodes),
        "ngpus": sum(len(n.gpus) for n in nodes),
        "ranks": encode_idset(n.rank for n in nodes),
        "nodelist": encode_hostlist(n.host for n in nodes),
        "rlist": short_form(nodes) if nodes else "",
        "properties": ",".join(sorted({p for n in nodes for p in n.properties})),
        "propertiesx": ",".join(sorted({p for n in nodes for p in n.properties})),
    }


def list_command(args: list[str]) -> int:
    parsed = LIST.parse(args)
    text = LIST_FORMATS.get(parsed.get("format") or "default", parsed.get("format") or "")
    check_fields(PROGRAM, text, LIST_HEADINGS)
    states = chosen_states(parsed, LIST_STATES, "free,allocated,down")
    report = ask("resource.status")
    sets = sets_of(report, included(report, parsed))
    if "state" in field_names(text):
        rows = [list_row(state, sets[state]) for state in states]
    else:
        rows = [list_row("", union([sets[state] for state in states]))]
    if parsed.has("skip-empty") or (parsed.has("include") and not parsed.has("no-skip-empty")):
        rows = [row for row in rows if row["nnodes"]]
    for line in render(text, LIST_HEADINGS, rows, not parsed.has("no-header")):
        print(line)
    return 0


def status_rows(report: dict, only: set[int] | None) -> list[dict]:
    """One row for each combination of state, up or down, and reason of the drain."""
    busy = {node.rank for node in decode_resources(report["allocated"])}
    groups: dict[tuple, list[int]] = {}
    for rank in report["ranks"]:
        if only is not None and rank not in only:
            continue
        drained = report["drained"].get(str(rank))
        up = rank in report["up"]
        state, reason, moment = "avail", "", 0
        if rank in report["excluded"]:
            state = "exclude"
        elif drained:
            state = "draining" if rank in busy else "drained"
            reason, moment = drained["reason"], int(drained["timestamp"] // 60 * 60)
        groups.setdefault((state, up, reason, moment), []).append(rank)
    order = ("avail", "exclude", "draining", "drained")
    rows = []
    for (state, up, reason, moment), ranks in sorted(groups.items(), key=lambda g: (order.index(g[0][0]), not g[0][1])):
        hosts = encode_hostlist(report["hosts"][rank] for rank in ranks)
        rows.append(
            {
                "state": state if up else f"{state}*",
                "statex": state,
                "plain": state,
                "nnodes": len(ranks),
                "ranks": encode_idset(ranks),
                "nodelist": hosts,
                "reason": reason,
                "timestamp": moment,
                "status": "online" if up else "offline",
                "up": "✔" if up else "✗",
                "up.ascii": "y" if up else "n",
                "timestamp_text": time.strftime("%b%d %H:%M", time.localtime(moment)),
            }
        )
    return rows


def status(args: list[str]) -> int:
    parsed = STATUS.parse(args)
    text = STATUS_FORMATS.get(parsed.get("format") or "default", parsed.get("format") or "")
    check_fields(PROGRAM, text, STATUS_HEADINGS)
    states = chosen_states(parsed, STATUS_STATES, "all", hint=True)
    report = ask("resource.status")
    rows = [row for row in status_rows(report, included(report, parsed)) if in_states(row, states)]
    for line in render(text, STATUS_HEADINGS, rows, not parsed.has("no-header")):
        print(line)
    return 0


def in_states(row: dict, states: list[str]) -> bool:
    if "all" in states or row["plain"] in states or row["status"] in states:
        return True
    return "drain" in states and row["plain"] in ("draining", "drained")


def drain(args: list[str]) -> int:
    parsed = DRAIN.parse(args)
    if not parsed.rest:
        text = DRAIN_FORMATS.get(parsed.get("format") or "default", parsed.get("format") or "")
        check_fields(PROGRAM, text, DRAIN_HEADINGS)
        report = ask("resource.status")
        rows = [r for r in status_rows(report, included(report, parsed)) if r["plain"] in ("draining", "drained")]
        for line in render(text, DRAIN_HEADINGS, rows, not parsed.has("no-header")):
            print(line)
        return 0
    force = sum(1 for name, _ in parsed.given if name == "force")
    mode = "update" if parsed.has("update") else ("overwrite" if force == 1 else "force-overwrite" if force else "")
    try:
        ask("resource.drain", {"targets": parsed.rest[0], "reason": " ".join(parsed.rest[1:]), "mode": mode})
    except Refusal as refusal:
        if refusal.errnum == 17:
            refusal.message += f"\n{PROGRAM}: INFO: Use --force to overwrite existing drain reason"
        elif refusal.errnum == 22 and "[Errno" not in refusal.message:
            refusal.message = refusal.message.replace("ERROR: ", "ERROR: [Errno 22] ")
        raise
    return 0


def undrain(args: list[str]) -> int:
    parsed = UNDRAIN.parse(args)
    if not parsed.rest:
        raise UNDRAIN.fail("the following arguments are required: TARGETS")
    ask(
        "resource.undrain",
        {"targets": parsed.rest[0], "mode": "update" if parsed.has("update") or parsed.has("force") else ""},
    )
    return 0


COMMANDS = {"list": list_command, "status": status, "drain": drain, "undrain": undrain}


def main(_name: str, args: list[str]) -> int:
    if args and args[0] in COMMANDS:
        return COMMANDS[args[0]](args[1:])
    if args and args[0] in ABSENT:
        raise Refusal(
            f"{PROGRAM}: stand-in: {args[0]} exists in flux-core but is not implemented here", NOT_IMPLEMENTED
        )
    print(f"usage: flux-resource [-h] {{{','.join(COMMANDS)}}} ...", file=sys.stderr)
    if args[:1] in (["--help"], ["-h"]):
        return 0
    raise Refusal(
        f"{PROGRAM}: error: argument subcommand: invalid choice: '{args[0]}'"
        if args
        else f"{PROGRAM}: error: the following arguments are required: subcommand",
        2,
    )
