"""The tree of brokers. Checked: src/modules/overlay/topology.c."""

from .errors import Refusal


class Topology:
    """A tree of ranks with rank 0 as its root."""

    def __init__(self, parents: list[int]):
        self.parents = parents
        self.size = len(parents)

    def children(self, rank: int) -> list[int]:
        return [r for r in range(1, self.size) if self.parents[r] == rank]

    def descendants(self, rank: int) -> list[int]:
        found = []
        for child in self.children(rank):
            found += [child, *self.descendants(child)]
        return sorted(found)

    def level(self, rank: int) -> int:
        level = 0
        while rank != 0:
            rank = self.parents[rank]
            level += 1
        return level

    def max_level(self) -> int:
        return max(self.level(rank) for rank in range(self.size))

    def next_hop(self, here: int, to: int) -> int:
        """The next rank on the way from `here` to `to`: a child, or else the parent."""
        hop = to
        while hop != 0:
            if self.parents[hop] == here:
                return hop
            hop = self.parents[hop]
        return self.parents[here]


def create_topology(uri: str, hosts: list[dict]) -> Topology:
    """Creates the tree of `kary:K`, `mincrit:K`, `binomial` or `custom`."""
    scheme, _, argument = uri.partition(":")
    size = len(hosts)
    try:
        if scheme == "kary":
            return kary(size, number_of(argument, "kary", 0))
        if scheme == "mincrit":
            return mincrit(size, number_of(argument, "mincrit", mincrit_routers(size, 1024)))
        if scheme == "binomial":
            return binomial(size, argument)
        if scheme == "custom":
            return custom(hosts, argument)
        raise Refusal(f"unknown topology scheme '{scheme}'")
    except Refusal as refusal:
        raise Refusal(f"Error creating {uri} topology: {refusal.message}", errnum=22) from None


def number_of(argument: str, scheme: str, default: int) -> int:
    if not argument and scheme == "mincrit":
        return default
    if not argument.isdigit():
        raise Refusal(f"{scheme} k value must be an integer >= 0")
    return int(argument)


def kary(size: int, k: int) -> Topology:
    return Topology([-1] + [(rank - 1) // k if k else 0 for rank in range(1, size)])


def mincrit_routers(size: int, fanout: int) -> int:
    if size <= fanout + 1:
        return 0
    k = 2
    while -(-(size - 1 - k) // k) > fanout:
        k += 1
    return k


def mincrit(size: int, k: int) -> Topology:
    return Topology([-1] + [0 if not k or rank <= k else (rank - k - 1) % k + 1 for rank in range(1, size)])


def binomial(size: int, argument: str) -> Topology:
    if argument:
        raise Refusal(f"unknown binomial topology directive: '{argument}'")
    return Topology([-1] + [rank & ~(1 << (rank.bit_length() - 1)) for rank in range(1, size)])


def custom(hosts: list[dict], argument: str) -> Topology:
    """Each host names its parent. The default is rank 0."""
    if argument:
        raise Refusal(f"unknown custom topology directive: '{argument}'")
    names = [host["host"] for host in hosts]
    where = "Config file [bootstrap] hosts:"
    if "parent" in hosts[0]:
        raise Refusal(f"{where} rank 0 ({names[0]}) may not have a parent in a tree topology")
    parents = [-1] + [names.index(host["parent"]) if "parent" in host else 0 for host in hosts[1:]]
    for rank in range(1, len(hosts)):
        seen, at = set(), rank
        while at > 0:
            if at in seen:
                raise Refusal(
                    f'{where} parent "{hosts[rank]["parent"]}" for {names[rank]} (rank {rank})'
                    " violates rule against cycles"
                )
            seen.add(at)
            at = parents[at]
    return Topology(parents)
