"""Remembers the ranks that this program has drained and removed: it undrains no other rank."""

import math
import time
import typing

from elastic_flux import State


class Drains:
    def __init__(self, leaves_within: float):
        # Seconds in which a pod leaves.
        self.leaves_within = leaves_within
        # Ranks that this program has drained, with the time after that. Flux tells full seconds: resource/drain.c
        self.drained: typing.Dict[int, int] = {}
        # Ranks that were removed and have not left yet, with the time of that.
        self.removed: typing.Dict[int, float] = {}

    def note(self, ranks: "typing.Iterable[int]"):
        self.drained.update(dict.fromkeys(ranks, full(time.time())))

    def note_removal(self, ranks: "typing.Iterable[int]", now: float):
        self.removed.update(dict.fromkeys(ranks, now))
        self.forget(ranks)

    def forget(self, ranks: "typing.Iterable[int]"):
        self.drained = {rank: at for rank, at in self.drained.items() if rank not in ranks}

    def undrainable(self, state: State, now: float) -> "set[int]":
        """Ranks that this program or an earlier one has drained, and whose pods don't leave."""
        clock = time.time()
        stale = {rank for rank, at in state.leaving.items() if clock - at > self.leaves_within}
        # The drain of a removed rank may be older than the grace period of its pod.
        self.removed = {
            rank: at
            for rank, at in self.removed.items()
            if rank not in state.offline and now - at <= self.leaves_within
        }
        # A later drain is that of leave.sh: the pod leaves.
        ours = {rank for rank, at in state.leaving.items() if at <= self.drained.get(rank, 0)} | stale
        return ours - set(self.removed) - state.offline


def full(seconds: float):
    """Rounds to full seconds, as C does."""
    return math.floor(seconds + 0.5)
