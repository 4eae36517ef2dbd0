"""The rule by which a cluster sizes itself: how many ranks its jobs need, and what to do about it. Knows neither Flux
nor Kubernetes, and gets the time as an argument."""

import math
import typing

from elastic_place import Request, Room

# A growth soon after a shrink shows that the cool-down is too short for this load. It is then doubled, up to this
# multiple.
LONGEST_PATIENCE = 8
# After a longer pause between two looks, nobody knows what jobs needed meanwhile.
LONGEST_GAP = 10


class Look:
    """The state of the cluster at one moment."""

    def __init__(
        self,
        size: int,
        ranks: dict,
        used: "dict | None" = None,
        pending: "list | None" = None,
        drained: "set | None" = None,
        kept: "set | None" = None,
        out: "set | None" = None,
    ):
        # The Job's number of pods.
        self.size = size
        # The ranks on which Flux may schedule, up to the largest size; and the cores and GPUs that jobs have of them.
        self.ranks, self.used = ranks, used or {}
        # Jobs that could start if there was room: their ids and requests, the first one first.
        self.pending = pending or []
        # Ranks that this program may undrain, and ranks that another client has drained.
        self.drained, self.kept = drained or set(), kept or set()
        # All drained ranks, for whatever reason, online or not. Flux refuses to drain them again.
        self.out = out or set()


class Need:
    """How many ranks the jobs need."""

    def __init__(self, ranks: int, impossible: list):
        self.ranks = ranks
        # Jobs for which all ranks together are not enough.
        self.impossible = impossible


def need_of(look: Look) -> Need:
    """
    The number of ranks with which all jobs could run now. If there are too few ranks for all of them, each job counts
    by itself.
    """
    usable = {number: rank for number, rank in look.ranks.items() if number not in look.kept}
    # Running jobs stay where they are, so a pending job may need a new rank although there are enough free cores.
    room, whole = Room(usable, look.used), Room(usable)
    last = packed(look, whole)
    impossible, alone = [], {}
    for job, request in look.pending:
        places = room.place(request)
        if places is None:
            key = request.key()
            if key not in alone:
                alone[key] = Room(usable).place(request)
            places = alone[key]
        if places is None:
            impossible.append((job, request))
        else:
            last = max([last, *places])
    return Need(last + 1, impossible)


def packed(look: Look, room: Room) -> int:
    """The highest rank that is needed if all jobs start again on empty ranks, as those of a smaller cluster would."""
    requests = [Request(1, cores, gpus) for _, (cores, gpus) in sorted(look.used.items())]
    requests += [request for _, request in look.pending]
    return max([-1, *(place for request in requests for place in room.place(request) or [])])


class Step:
    """What to do after a look: at most one of these, in this order."""

    def __init__(self, want: int, target: int, impossible: list):
        # The number of ranks that the jobs need now, and the largest one of the cool-down.
        self.want, self.target = want, target
        self.impossible = impossible
        # The new size of the Job.
        self.resize: typing.Optional[int] = None
        # Ranks to undrain, and ranks to drain, the highest first.
        self.undrain, self.drain = [], []


class Rule:
    """Decides on the size. It remembers what earlier looks needed, and nothing else."""

    def __init__(self, least: int, most: int, cooldown: float = 0):
        self.least, self.most = least, most
        self.cool_down_for(cooldown)
        self.wants = []
        self.began: typing.Optional[float] = None
        self.looked_at = -math.inf
        self.shrunk_at: typing.Optional[float] = None

    def cool_down_for(self, seconds: float):
        self.cooldown = self.patience = seconds

    def step(self, look: Look, now: float) -> Step:
        need = need_of(look)
        want = min(max(need.ranks, self.least), self.most)
        step = Step(want, self.remember(want, now), need.impossible)
        if want > look.size:
            step.resize = want
            self.note_growth(now)
        # A rank that is needed again is undrained in the same turn: the new ranks take some seconds.
        step.undrain = sorted(number for number in look.drained if number < step.target)
        if step.resize is None and step.target < look.size:
            self.shrink(look, step, now)
        return step

    def remember(self, want: int, now: float) -> int:
        """The largest need of the cool-down. A program that has just started knows nothing of the time before."""
        if self.began is None or now - self.looked_at > LONGEST_GAP:
            self.began, self.wants = now, []
        self.looked_at = now
        self.wants = [(at, of) for at, of in self.wants if at > now - self.patience]
        # Equal and smaller ones that are older can't be the largest one any more.
        while self.wants and self.wants[-1][1] <= want:
            self.wants.pop()
        self.wants.append((now, want))
        return self.wants[0][1] if now - self.began >= self.patience else self.most

    def note_growth(self, now: float):
        if self.shrunk_at is None:
            return
        soon = now - self.shrunk_at < self.patience
        longest = LONGEST_PATIENCE * self.cooldown
        self.patience = min(2 * self.patience, longest) if soon else max(self.patience / 2, self.cooldown)
        self.shrunk_at = None

    def shrink(self, look: Look, step: Step, now: float):
        """Drains the ranks that go, and removes them when a later look shows them without jobs."""
        going = range(look.size - 1, step.target - 1, -1)
        step.drain = [number for number in going if number in look.ranks and number not in look.out]
        if step.drain:
            return
        busy = max([-1, *(number for number in look.used if number < look.size)])
        size = max(step.target, busy + 1)
        if size < look.size:
            step.resize = size
            self.shrunk_at = now
