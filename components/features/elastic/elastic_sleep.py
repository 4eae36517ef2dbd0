"""Decides when a cluster without jobs sleeps, and notices jobs that are submitted while it falls asleep."""

import typing

from elastic_flux import Flux, State
from flux_journal import Journal


class Sleep:
    """Knows since when the cluster has no jobs."""

    def __init__(self, flux: Flux, submissions: "typing.Callable[[], Journal]" = lambda: Journal("submit")):
        self.flux, self.open = flux, submissions
        # Seconds without jobs. None: the cluster never sleeps.
        self.after: typing.Optional[float] = None
        self.idle_since: typing.Optional[float] = None
        self.newest = 0
        # Jobs that are submitted while the cluster falls asleep.
        self.submissions: typing.Optional[Journal] = None
        self.is_disturbed = False

    def is_due(self, state: State, now: float) -> bool:
        """True if no job was submitted or active for the time of sleepAfter. Held jobs are not active."""
        if self.after is None or is_active(state):
            self.idle_since = None
        elif self.idle_since is None or state.newest != self.newest:
            self.idle_since = now
        self.newest = state.newest
        return self.after is not None and self.idle_since is not None and now - self.idle_since >= self.after

    def prepare(self, size: int) -> bool:
        """Stops the queues, so that no job starts meanwhile, and looks again. Returns False if a job has come."""
        self.forget()
        # First, so that each job is either seen by the look or told here.
        self.submissions = self.open()
        self.flux.start_queues([name for name, queue in self.flux.queues().items() if queue["start"]], False)
        again = self.flux.read(size)
        # If the cluster stays awake, the next turn starts the queues.
        if is_active(again) or again.newest != self.newest:
            self.idle_since = None
            return False
        return True

    def watch(self, seconds: float) -> bool:
        """Waits for a job that would sleep with the cluster. Returns False if it needn't wait."""
        if self.submissions is None or self.is_disturbed:
            return False
        try:
            self.is_disturbed = self.submissions.await_one(seconds)
        except OSError:
            # The broker has ended: no job can come any more.
            self.submissions = None
        return True

    def forget(self):
        """The cluster stays awake, or is woken."""
        self.submissions, self.is_disturbed = None, False


def is_active(state: State) -> bool:
    return bool(state.waiting or state.starting or state.running)
