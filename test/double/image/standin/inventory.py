"""The ranks that exist, are up, drained or allocated. Checked: src/modules/resource/{monitor,drain,
exclude,status}.c, src/modules/sched-simple (allocation)."""

import errno
import time
from dataclasses import dataclass

from .constraints import matches
from .errors import Refusal, RpcError
from .hostlist import decode_hostlist
from .idset import decode_idset, encode_idset
from .resources import Node, encode_resources


@dataclass
class Drained:
    """Why and since when a rank is drained."""

    reason: str
    timestamp: float


@dataclass
class Wanted:
    """The resources that a job needs: nodes (0: any number), slots in total, cores and GPUs of one slot."""

    nodes: int
    slots: int
    cores: int
    gpus: int
    exclusive: bool
    constraint: dict | None = None


class Inventory:
    """The resources of the whole instance. Rank 0 has it."""

    def __init__(self, hosts: list[str]):
        self.hosts = hosts
        self.nodes: dict[int, Node] = {}
        self.found: dict[int, Node] = {}
        self.known = False
        self.up: set[int] = set()
        self.excluded: set[int] = set()
        self.drained: dict[int, Drained] = {}
        self.used: dict[int, tuple[set[int], set[int]]] = {}

    def set_nodes(self, nodes: list[Node]) -> None:
        self.nodes = {node.rank: node for node in nodes}
        self.used = {node.rank: (set(), set()) for node in nodes}
        self.known = True

    def add_found(self, rank: int, cores: list[int]) -> None:
        """Adds a rank's resources. Without a configured R, the instance's are known when all ranks have joined."""
        self.found[rank] = Node(rank, self.hosts[rank], cores)
        if not self.known and len(self.found) == len(self.hosts):
            self.set_nodes(list(self.found.values()))

    def remove(self, ranks: set[int]) -> None:
        """Removes lost ranks for ever, if they were discovered. Checked: src/modules/resource/acquire.c."""
        for rank in ranks:
            self.nodes.pop(rank, None)

    def exclude(self, text: str) -> None:
        self.excluded = set(self.ranks_of(text))

    def ranks_of(self, targets: str) -> list[int]:
        """The ranks of an idset or a hostlist."""
        try:
            ranks = decode_idset(targets)
        except ValueError:
            return self.ranks_of_hosts(targets)
        if any(rank >= len(self.hosts) for rank in ranks):
            raise RpcError(errno.EINVAL, "idset is out of range")
        return ranks

    def ranks_of_hosts(self, targets: str) -> list[int]:
        try:
            names = decode_hostlist(targets)
        except ValueError:
            raise RpcError(errno.EINVAL, f"idset/hostlist '{targets}' is invalid") from None
        missing = [name for name in names if name not in self.hosts]
        if missing:
            raise RpcError(errno.EINVAL, f"invalid targets: invalid hosts: {','.join(missing)}")
        return sorted(self.hosts.index(name) for name in names)

    def drain(self, ranks: list[int], reason: str, mode: str) -> None:
        already = [rank for rank in ranks if rank in self.drained]
        if mode == "" and already:
            plural = "s" if len(already) > 1 else ""
            raise RpcError(errno.EEXIST, f"rank{plural} {encode_idset(already)} already drained")
        for rank in ranks:
            old = self.drained.get(rank)
            if old and mode == "update":
                old.reason = old.reason or reason
            else:
                keep = old is not None and mode == "overwrite"
                self.drained[rank] = Drained(reason, old.timestamp if keep and old else time.time())

    def undrain(self, ranks: list[int], mode: str) -> None:
        missing = [rank for rank in ranks if rank not in self.drained]
        if mode == "" and missing:
            plural = "s" if len(missing) > 1 else ""
            raise RpcError(errno.EINVAL, f"rank{plural} {encode_idset(missing)} not drained")
        for rank in ranks:
            self.drained.pop(rank, None)

    def schedulable(self) -> list[int]:
        return [
            rank
            for rank in sorted(self.nodes)
            if rank in self.up and rank not in self.drained and rank not in self.excluded
        ]

    def busy(self, rank: int) -> bool:
        return bool(self.used[rank][0] or self.used[rank][1])

    def report(self) -> dict:
        """The data of `flux resource list` and `status`."""
        if not self.known:
            raise RpcError(errno.ENOENT, "error preparing response: No such file or directory")
        ready = set(self.schedulable())
        usable = [node for rank, node in self.nodes.items() if rank not in self.excluded]
        taken = [
            Node(n.rank, n.host, sorted(self.used[n.rank][0]), sorted(self.used[n.rank][1]), n.properties)
            for n in self.nodes.values()
            if self.busy(n.rank)
        ]
        return {
            "all": encode_resources(usable),
            "allocated": encode_resources(taken),
            "down": encode_resources([n for n in usable if n.rank not in ready]),
            "up": sorted(self.up),
            "excluded": sorted(self.excluded),
            "hosts": self.hosts,
            "ranks": sorted(self.nodes),
            "drained": {str(rank): {"reason": d.reason, "timestamp": d.timestamp} for rank, d in self.drained.items()},
        }

    def unsatisfiable(self, wanted: Wanted) -> str | None:
        """The reason why the job could not run even if all ranks were up and idle, or None."""
        eligible = [n for r, n in self.nodes.items() if r not in self.excluded and matches(wanted.constraint, n)]
        if wanted.exclusive and wanted.nodes:
            fitting = [
                n for n in eligible if slots_on(len(n.cores), len(n.gpus), wanted) * wanted.nodes >= wanted.slots
            ]
            if len(fitting) < wanted.nodes:
                return f"unsatisfiable request: need {wanted.nodes} exclusive node(s), only {len(fitting)} eligible"
            return None
        if wanted.nodes:
            per_node = -(-wanted.slots // wanted.nodes)
            fitting = [n for n in eligible if slots_on(len(n.cores), len(n.gpus), wanted) >= per_node]
            if len(fitting) < wanted.nodes:
                gpus = f" and {per_node * wanted.gpus} GPUs" if wanted.gpus else ""
                return (
                    f"unsatisfiable request: need {wanted.nodes} node(s) with {per_node * wanted.cores} cores"
                    f"{gpus} each, only {len(fitting)} eligible"
                )
            return None
        return self.too_many_slots(wanted, eligible)

    @staticmethod
    def too_many_slots(wanted: Wanted, eligible: list[Node]) -> str | None:
        total = sum(slots_on(len(n.cores), len(n.gpus), wanted) for n in eligible)
        if total >= wanted.slots:
            return None
        gpus = sum(len(n.gpus) for n in eligible)
        by_cores = sum(len(n.cores) // wanted.cores for n in eligible)
        if by_cores < wanted.slots:
            cores = sum(len(n.cores) for n in eligible)
            return (
                f"unsatisfiable request: need {wanted.slots} slot(s) of {wanted.cores} core(s), only {by_cores}"
                f" such slot(s) available (total cores: {cores})"
            )
        return (
            f"unsatisfiable request: need {wanted.slots} slot(s) with {wanted.gpus} GPU(s) each,"
            f" only {total} available (total GPUs: {gpus})"
        )

    def allocate(self, wanted: Wanted) -> list[Node] | None:
        """Allocates cores and GPUs for a job. Returns None while they are not free."""
        free = {}
        for rank in self.schedulable():
            if matches(wanted.constraint, self.nodes[rank]):
                node, used = self.nodes[rank], self.used[rank]
                free[rank] = ([c for c in node.cores if c not in used[0]], [g for g in node.gpus if g not in used[1]])
        picked = self.pick_nodes(wanted, free) if wanted.nodes else self.pick_slots(wanted, free)
        if picked is None:
            return None
        for rank, (cores, gpus) in picked.items():
            self.used[rank][0].update(cores)
            self.used[rank][1].update(gpus)
        return [Node(rank, self.nodes[rank].host, cores, gpus) for rank, (cores, gpus) in sorted(picked.items())]

    def pick_nodes(self, wanted: Wanted, free: dict) -> dict | None:
        per_node = -(-wanted.slots // wanted.nodes)
        fitting = [
            rank
            for rank, (cores, gpus) in free.items()
            if slots_on(len(cores), len(gpus), wanted) >= per_node and not (wanted.exclusive and self.busy(rank))
        ]
        if len(fitting) < wanted.nodes:
            return None
        chosen = sorted(sorted(fitting, key=lambda rank: -len(free[rank][0]))[: wanted.nodes])
        if wanted.exclusive:
            return {rank: free[rank] for rank in chosen}
        return {
            rank: (free[rank][0][: per_node * wanted.cores], free[rank][1][: per_node * wanted.gpus]) for rank in chosen
        }

    @staticmethod
    def pick_slots(wanted: Wanted, free: dict) -> dict | None:
        """Fills the rank with the most free cores first, then the next."""
        picked: dict[int, tuple[list[int], list[int]]] = {}
        missing = wanted.slots
        for rank in sorted(free, key=lambda r: (-len(free[r][0]), -len(free[r][1]), r)):
            cores, gpus = free[rank]
            count = min(slots_on(len(cores), len(gpus), wanted), missing)
            if count:
                picked[rank] = (cores[: count * wanted.cores], gpus[: count * wanted.gpus])
                missing -= count
        return None if missing else picked

    def free(self, nodes: list[Node]) -> None:
        for node in nodes:
            self.used[node.rank][0].difference_update(node.cores)
            self.used[node.rank][1].difference_update(node.gpus)


def slots_on(cores: int, gpus: int, wanted: Wanted) -> int:
    by_cores = cores // wanted.cores if wanted.cores else 1 << 30
    return min(by_cores, gpus // wanted.gpus) if wanted.gpus else by_cores


def parse_exclude(inventory: Inventory, config: dict) -> None:
    text = config.get("resource", {}).get("exclude")
    if text is None:
        return
    try:
        inventory.exclude(text)
    except RpcError as error:
        raise Refusal(f"error decoding exclude set {text}: {error.text}") from None
