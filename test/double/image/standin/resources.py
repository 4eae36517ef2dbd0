"""Resource sets R (RFC 20) and the inventory of cores and GPUs. Checked: src/common/librlist/rlist.c,
src/cmd/flux-R.c, src/modules/resource/inventory.c."""

import json
import os
import re
from dataclasses import dataclass, field

from .errors import Refusal
from .hostlist import decode_hostlist, encode_hostlist
from .idset import decode_idset, encode_idset
from .tables import problem_in

CONFIG_ENTRY = {"hosts": str, "cores": str, "gpus": str, "properties": list}


@dataclass
class Node:
    """The resources of one rank."""

    rank: int
    host: str
    cores: list[int] = field(default_factory=list)
    gpus: list[int] = field(default_factory=list)
    properties: set[str] = field(default_factory=set)


PU_OF_CORE = re.compile(r'type="Core"[^<]*<object type="PU" os_index="(\d+)"')


def core_cpus() -> list[list[int]]:
    """The CPUs of each core that this process may use, in the order in which hwloc numbers cores.

    A file in the place of the machine's topology may only be one of cpus-topology.sh.
    """
    allowed = os.sched_getaffinity(0)
    path = os.environ.get("FLUX_HWLOC_XMLFILE")
    if path:
        with open(path, encoding="ascii") as file:
            return [[int(cpu)] for cpu in PU_OF_CORE.findall(file.read()) if int(cpu) in allowed]
    cores: dict[str, list[int]] = {}
    for cpu in sorted(allowed):
        try:
            with open(f"/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list", encoding="ascii") as file:
                siblings = file.read().strip()
        except OSError:
            siblings = str(cpu)
        cores.setdefault(siblings, []).append(cpu)
    return list(cores.values())


def local_cores() -> list[int]:
    """The numbers of this machine's cores, from 0."""
    return list(range(len(core_cpus())))


def encode_resources(nodes: list[Node]) -> dict:
    """An R of version 1. Ranks with the same cores and GPUs share one entry."""
    entries: dict[str, list[int]] = {}
    for node in sorted(nodes, key=lambda n: n.rank):
        children = {}
        if node.cores:
            children["core"] = encode_idset(node.cores)
        if node.gpus:
            children["gpu"] = encode_idset(node.gpus)
        entries.setdefault(json.dumps(children), []).append(node.rank)
    lite = [{"rank": encode_idset(ranks), "children": json.loads(children)} for children, ranks in entries.items()]
    execution: dict = {
        "R_lite": lite,
        "starttime": 0.0,
        "expiration": 0.0,
        "nodelist": [encode_hostlist(n.host for n in sorted(nodes, key=lambda n: n.rank))],
    }
    properties: dict[str, list[int]] = {}
    for node in nodes:
        for name in node.properties:
            properties.setdefault(name, []).append(node.rank)
    if properties:
        execution["properties"] = {name: encode_idset(ranks) for name, ranks in properties.items()}
    return {"version": 1, "execution": execution}


def decode_resources(resource_set: object) -> list[Node]:
    """Raises Refusal unless this is an R of version 1."""
    try:
        assert isinstance(resource_set, dict)
        if resource_set["version"] != 1:
            raise Refusal(f"invalid version={resource_set['version']}")
        execution = resource_set["execution"]
        nodes = [
            Node(
                rank,
                "",
                decode_idset(entry["children"].get("core", "")),
                decode_idset(entry["children"].get("gpu", "")),
            )
            for entry in execution["R_lite"]
            for rank in decode_idset(str(entry["rank"]))
        ]
        hosts = [name for part in execution.get("nodelist", []) for name in decode_hostlist(part)]
    except (AssertionError, KeyError, TypeError, AttributeError, ValueError) as error:
        raise Refusal(f"invalid R: {error}") from None
    nodes.sort(key=lambda node: node.rank)
    if hosts and len(hosts) != len(nodes):
        raise Refusal("number of ranks does not match number of hosts in nodelist")
    for node, host in zip(nodes, hosts, strict=False):
        node.host = host
    for name, ranks in execution.get("properties", {}).items():
        for node in nodes:
            if node.rank in decode_idset(ranks):
                node.properties.add(name)
    return nodes


def resources_from_config(entries: object) -> list[Node]:
    """The nodes of the array `resource.config`."""
    if not isinstance(entries, list):
        raise Refusal("resource config must be an array")
    nodes: dict[str, Node] = {}
    for index, entry in enumerate(entries):
        problem = problem_in(entry, CONFIG_ENTRY, True, ("hosts",))
        if problem:
            raise Refusal(f"config[{index}]: {problem}")
        for host in config_hosts(entry["hosts"], index):
            node = nodes.setdefault(host, Node(len(nodes), host))
            node.cores = sorted({*node.cores, *config_ids(entry, "cores", index)})
            node.gpus = sorted({*node.gpus, *config_ids(entry, "gpus", index)})
            node.properties |= set(entry.get("properties", []))
    empty = [node.host for node in nodes.values() if not node.cores and not node.gpus]
    if not nodes:
        raise Refusal("no hosts configured")
    if empty:
        raise Refusal(f"resource.config: {encode_hostlist(empty)} assigned no resources")
    return list(nodes.values())


def config_hosts(text: str, index: int) -> list[str]:
    try:
        hosts = decode_hostlist(text)
    except ValueError:
        raise Refusal(f"config[{index}]: invalid hostlist '{text}'") from None
    if not hosts:
        raise Refusal(f"config[{index}]: empty hostlist specified")
    return hosts


def config_ids(entry: dict, key: str, index: int) -> list[int]:
    try:
        return decode_idset(entry.get(key, ""))
    except ValueError:
        raise Refusal(f"config[{index}]: invalid idset {key}='{entry[key]}'") from None


def rerank(nodes: list[Node], hosts: list[str]) -> list[Node]:
    """Gives each node the rank of its host among the brokers. Both must have the same hosts."""
    if len(hosts) != len(nodes):
        relation = "greater" if len(hosts) > len(nodes) else "less"
        raise Refusal(f"error reranking R: Number of hosts ({len(hosts)}) is {relation} than node count ({len(nodes)})")
    by_host = {node.host: node for node in nodes}
    for rank, host in enumerate(hosts):
        if host not in by_host:
            raise Refusal(f"error reranking R: Host {host} not found in resources")
        by_host[host].rank = rank
    return sorted(nodes, key=lambda node: node.rank)


def configured_resources(config: dict, hosts: list[str]) -> list[Node] | None:
    """The nodes of [resource], with the ranks of the brokers. None if [resource] has no nodes."""
    table = config.get("resource", {})
    if "config" in table:
        try:
            nodes = resources_from_config(table["config"])
        except Refusal as refusal:
            raise Refusal(f"error parsing [resource.config] array: {refusal.message}") from None
    elif "path" in table:
        nodes = decode_resources(read_json(table["path"]))
    else:
        return None
    return rerank(nodes, hosts) if "bootstrap" in config else nodes


def read_json(path: str) -> object:
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except OSError as error:
        raise Refusal(f"{path}: unable to open {path}: {error.strerror} on line -1") from None
    except ValueError as error:
        raise Refusal(f"{path}: {error}") from None
