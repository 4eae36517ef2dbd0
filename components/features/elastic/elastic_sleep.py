"""Puts a cluster to sleep that has had no jobs for long: when, and what must not be missed meanwhile."""

import typing

from elastic_flux import Flux, State, Submissions


class Sleep:
    """Knows since when the cluster has no jobs."""

    def __init__(self, flux: Flux):
        self.flux = flux
        # Seconds without jobs. None: the cluster never sleeps.
        self.after: typing.Optional[float] = None
        self.idle_since: typing.Optional[float] = None
        self.held = 0
        # Jobs that are submitted while the cluster falls asleep.
        self.submissions: typing.Optional[Submissions] = None
        self.is_disturbed = False

    def is_due(self, state: State, now: float) -> bool:
        """True if no job was active for the time of sleepAfter. Jobs that can't start don't count."""
        if self.after is None:
            self.idle_since = None
            return False
        if is_active(state):
            self.idle_since = None
        elif self.idle_since is None or state.held != self.held:
            self.idle_since = now
        self.held = state.held
        return self.idle_since is not None and now - self.idle_since >= self.after

    def prepare(self, size: int) -> bool:
        """Stops the queues, so that no job starts meanwhile, and looks again. Returns False if a job has come."""
        self.forget()
        # First, so that each job is either seen by the look or told here.
        self.submissions = self.flux.submissions()
        self.flux.start_queues([name for name, start in self.flux.queues().items() if start], False)
        again = self.flux.read(size)
        # A job that has arrived meanwhile is one more that can't start. If the cluster stays awake, the next turn
        # starts the queues.
        if is_active(again) or again.held > self.held:
            self.idle_since = None
            return False
        return True

    def watch(self, seconds: float):
        """Waits for a job that is submitted while the cluster falls asleep: it would sleep too."""
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
        submissions, self.submissions = self.submissions, None
        self.is_disturbed = False
        if submissions is not None:
            submissions.close()


def is_active(state: State) -> bool:
    return bool(state.waiting or state.starting or state.running)
