"""The rule by which ranks are covered by the PodDisruptionBudget. Knows neither Flux nor Kubernetes, and gets the time
as an argument."""

import typing

LEAD = 0
# Seconds for which a rank stays covered after its last job, because the next job may start while the eviction is on its
# way. `kubectl drain` tries again every 5 s.
LINGER_SECONDS = 3


class Look:
    """The state of the cluster at one moment."""

    def __init__(self, busy: "set[int]", drained: "set[int]", active: int, is_open: bool):
        # Ranks with a job, and ranks on which no job starts.
        self.busy, self.drained = busy, drained
        # The number of jobs that have not ended. Those that wait are lost with a lead that has no archive.
        self.active = active
        # True if a queue starts jobs.
        self.is_open = is_open


class Cover:
    """Remembers when a rank was last needed, and nothing else."""

    def __init__(self, keeps_queue: bool):
        self.keeps_queue = keeps_queue
        self.needed: typing.Dict[int, float] = {}

    def step(self, look: Look, now: float) -> "set[int]":
        """The ranks to cover now."""
        needed = set(look.busy)
        if needed or (look.active and not self.keeps_queue):
            # All jobs end with the lead.
            needed.add(LEAD)
        self.needed.update(dict.fromkeys(needed, now))
        self.needed = {
            rank: at
            for rank, at in self.needed.items()
            if rank in needed or (now - at < LINGER_SECONDS and may_start(look, rank))
        }
        return set(self.needed)


def may_start(look: Look, rank: int) -> bool:
    """True if a job may start for which this rank is needed: for the lead, on any rank."""
    return look.is_open and (rank == LEAD or rank not in look.drained)
