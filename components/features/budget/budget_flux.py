"""Reads from Flux which ranks run jobs, and waits for jobs that start or end."""

import time
import typing

from budget_rule import Look
from flux_calls import Broker
from flux_journal import Journal
from flux_sets import amounts_in, numbers_in


class Flux(Broker):
    """Reads what the rule needs."""

    def __init__(self, journal: "typing.Callable[[], Journal]" = lambda: Journal("alloc", "free")):
        super().__init__()
        self.open = journal
        self.journal: typing.Optional[Journal] = None

    def read(self) -> Look:
        # Without a scheduler, all ranks would look idle.
        queues = self.scheduled_queues()
        resources, status, stats = self.ask(
            ("resource.sched-status", {}),
            ("resource.status", {}),
            ("job-manager.stats-get", {}),
        )
        drained = {rank for ids in status["drain"] for rank in numbers_in(ids)}
        is_open = any(queue["start"] for queue in queues.values())
        return Look(set(amounts_in(resources["allocated"])), drained, stats["active_jobs"], is_open)

    def await_change(self, pause: float, longest: float):
        """Takes in the events of a pause, in which many jobs may start. If there was none, waits for the next one."""
        if self.journal is None:
            self.journal = self.open()
        try:
            is_told = False
            end = time.monotonic() + pause
            while time.monotonic() < end:
                is_told = self.journal.await_one(max(end - time.monotonic(), 0.001)) or is_told
            end = time.monotonic() + longest
            while not is_told and time.monotonic() < end:
                is_told = self.journal.await_one(max(end - time.monotonic(), 0.001))
        except OSError:
            self.journal = None
            raise
