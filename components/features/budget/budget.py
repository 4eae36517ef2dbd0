"""Covers the ranks that run jobs by the cluster's PodDisruptionBudget, so that evictions wait for the jobs. Runs beside
the lead's broker only; lead-program.sh starts it."""

import os
import signal
import sys
import time
import typing

from budget_flux import Flux
from budget_object import Budget
from budget_rule import Cover
from kube_object import Pauses
from marks import is_there
from program_log import Log
from watchdog import alive

# Drained ranks and stopped queues are no event of a job, so there is a look each second.
PAUSE_SECONDS, LOOK_SECONDS = 0.1, 1
# How often the selector is written although it hasn't changed, in case that another client has changed it. The API
# server stores nothing then.
REPEAT_SECONDS = 60


class Keeper:
    """Looks at Flux, and changes the budget when other ranks run jobs."""

    def __init__(self, flux: Flux, budget: Budget, cover: Cover):
        self.flux, self.budget, self.rule = flux, budget, cover
        self.told: typing.Optional[typing.Set[int]] = None
        self.told_at = 0.0
        self.pauses = Pauses()
        self.log = Log("budget")

    def turn(self, now: float):
        # The lead of the next pod changes the budget.
        if is_there("leaving"):
            return
        ranks = self.rule.step(self.flux.read(), now)
        self.log.note("flux", None)
        if now >= self.pauses.until and (ranks != self.told or now - self.told_at >= REPEAT_SECONDS):
            self.tell(ranks, now)

    def tell(self, ranks: "set[int]", now: float):
        try:
            self.budget.cover(ranks)
        except Exception as error:
            self.log.note("budget", f"the PodDisruptionBudget can't be changed: {error}")
            self.pauses.lengthen(now)
            # An answer may be lost after the change.
            self.told = None
            return
        self.pauses = Pauses()
        self.log.note("budget", None)
        self.told, self.told_at = ranks, now


def main():
    # As the first process of its container, this program ignores signals that it doesn't handle.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    budget = Budget(os.environ["MINICLUSTER_TOKEN"], os.environ["MINICLUSTER_CLUSTER"])
    keeper = Keeper(Flux(), budget, Cover(bool(os.environ.get("MINICLUSTER_ARCHIVE"))))
    while True:
        run(keeper)


def run(keeper: Keeper):
    alive()
    try:
        keeper.turn(time.monotonic())
        keeper.flux.await_change(PAUSE_SECONDS, LOOK_SECONDS)
    except OSError as error:
        # Mostly the broker starts, restarts or ends.
        keeper.log.note("flux", f"Flux can't be asked: {error}")
        time.sleep(LOOK_SECONDS)
    except Exception as error:
        keeper.log.note("flux", f"Flux' answer can't be used: {error!r}")
        time.sleep(LOOK_SECONDS)


if __name__ == "__main__":
    main()
