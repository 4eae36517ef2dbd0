"""Places jobs on ranks, to find how many ranks the jobs of a queue need. Knows neither Flux nor Kubernetes."""

from flux_sets import numbers_in


class Rank:
    """The resources of a rank, as Flux describes them to its scheduler."""

    def __init__(self, cores: int, gpus: int = 0, host: str = "", properties: frozenset = frozenset()):
        self.cores, self.gpus, self.host, self.properties = cores, gpus, host, properties


class Request:
    """The resources that a job asks for: slots that each lie on one rank, on any ranks or on a number of ranks."""

    def __init__(
        self,
        slots: int = 1,
        cores: int = 1,
        gpus: int = 0,
        nodes: int = 0,
        exclusive: bool = False,
        constraint: "dict | None" = None,
    ):
        # With nodes, `slots` is the number of slots on each of them. Without, it is the number of all slots.
        self.slots, self.cores, self.gpus = slots, cores, gpus
        self.nodes, self.exclusive, self.constraint = nodes, exclusive, constraint

    def key(self):
        """Equal for requests that the same ranks can meet."""
        return self.slots, self.cores, self.gpus, self.nodes, self.exclusive, repr(self.constraint)


def matches(constraint: "dict | None", number: int, rank: Rank) -> bool:
    """True if a rank meets a constraint of RFC 31. An operator that isn't known here restricts nothing."""
    for operator, values in (constraint or {}).items():
        if operator == "properties":
            wrong = [name for name in values if (name.lstrip("^") in rank.properties) == name.startswith("^")]
            met = not wrong
        elif operator == "ranks":
            met = any(number in numbers_in(text) for text in values)
        elif operator == "hostlist":
            met = any(rank.host in hosts_in(text) for text in values)
        elif operator == "and":
            met = all(matches(one, number, rank) for one in values)
        elif operator == "or":
            met = not values or any(matches(one, number, rank) for one in values)
        elif operator == "not":
            met = not all(matches(one, number, rank) for one in values)
        else:
            met = True
        if not met:
            return False
    return True


def hosts_in(hostlist: str) -> "list[str]":
    """The names of a hostlist of RFC 29, such as a-[0-3],b."""
    hosts, rest = [], hostlist
    while rest:
        name, bracket, after = rest.partition("[")
        if not bracket or "," in name:
            host, _, rest = rest.partition(",")
            hosts.append(host)
            continue
        ids, _, rest = after.partition("]")
        end, _, rest = rest.partition(",")
        for part in ids.split(","):
            first, _, last = part.partition("-")
            numbers = range(int(first), int(last or first) + 1)
            hosts += ["{}{:0{}d}{}".format(name, number, len(first), end) for number in numbers]
    return hosts


class Room:
    """The free resources of some ranks, which only become fewer. A rank is idle if no job has a part of it."""

    def __init__(self, ranks: "dict[int, Rank]", used: "dict[int, tuple[int, int]] | None" = None):
        self.ranks = ranks
        self.free = {number: [rank.cores, rank.gpus] for number, rank in sorted(ranks.items())}
        self.busy = set()
        # Requests for which there was no room: there is none later either.
        self.refused = set()
        for number, (cores, gpus) in (used or {}).items():
            if number in self.free:
                self.take(number, cores, gpus)

    def take(self, number: int, cores: int, gpus: int):
        left = [self.free[number][0] - cores, self.free[number][1] - gpus]
        self.busy.add(number)
        if max(left) > 0:
            self.free[number] = left
        else:
            del self.free[number]

    def slots_on(self, number: int, request: Request) -> int:
        cores, gpus = self.free[number]
        if request.exclusive and number in self.busy:
            return 0
        by_cores = cores // request.cores if request.cores else 1 << 30
        return max(0, min(by_cores, gpus // request.gpus) if request.gpus else by_cores)

    def place(self, request: Request) -> "list[int] | None":
        """Takes room for a job on the lowest ranks that have it. Returns these ranks, or None if there is no room."""
        key = request.key()
        if key in self.refused:
            return None
        chosen = {}
        missing = request.nodes or request.slots
        for number, rank in self.ranks_for(request):
            slots = self.slots_on(number, request)
            if request.nodes:
                count = request.slots if slots >= request.slots else 0
                missing -= 1 if count else 0
            else:
                count = min(slots, missing)
                missing -= count
            if count:
                chosen[number] = (rank.cores, rank.gpus) if request.exclusive else self.amounts(request, count)
            if not missing:
                break
        if missing:
            self.refused.add(key)
            return None
        for number, (cores, gpus) in chosen.items():
            self.take(number, cores, gpus)
        return sorted(chosen)

    def ranks_for(self, request: Request):
        for number in self.free:
            rank = self.ranks[number]
            if not request.constraint or matches(request.constraint, number, rank):
                yield number, rank

    @staticmethod
    def amounts(request: Request, slots: int):
        return slots * request.cores, slots * request.gpus
