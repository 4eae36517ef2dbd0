"""Runs budget.py's Keeper against a Flux and a budget that only remember, and prints what happened: keeper.py CASE."""

# pyright: basic, reportMissingImports=false, reportAttributeAccessIssue=false, reportArgumentType=false

import json
import os
import sys
import tempfile

sys.path.insert(0, "components/features/budget")
sys.path.insert(0, "components/parts")
sys.path.insert(0, "provider/contract")

from budget import Keeper
from budget_object import Budget
from budget_rule import Cover, Look
from kube_object import Refused
from program_log import Log


class World:
    def __init__(self, keeps_queue=True):
        self.log = []
        self.busy, self.drained, self.active, self.is_open = set(), set(), 0, True
        self.error = self.broken = None
        Log.say = lambda _, text: self.log.append(["say", text])
        self.keeper = Keeper(self, self, Cover(keeps_queue))
        self.now = 100.0

    def read(self):
        if self.broken:
            raise self.broken
        return Look(set(self.busy), set(self.drained), self.active or len(self.busy), self.is_open)

    def await_change(self, _pause, _longest):
        self.now += 1

    def cover(self, ranks):
        if self.error:
            self.log.append("refused")
            raise self.error
        self.log.append(sorted(ranks))

    def turns(self, count):
        for _ in range(count):
            self.keeper.turn(self.now)
            self.await_change(0, 0)
        return self


def covers():
    """A job runs on rank 2, and another one on rank 3 later."""
    world = World().turns(2)
    world.busy = {2}
    world.turns(2)
    world.busy = {2, 3}
    return world.turns(2)


def lingers():
    """The rank and the lead stay covered for 3 s after the job."""
    world = World()
    world.busy = {1}
    world.turns(2)
    world.busy = set()
    return world.turns(4)


def gets_next_job():
    """A queue of short jobs: one look finds none."""
    world = World()
    for _ in range(5):
        world.busy = {1}
        world.turns(2)
        world.busy = set()
        world.turns(1)
    return world


def is_drained():
    """No job starts on the rank, but one may start elsewhere."""
    world = World()
    world.busy, world.drained = {1}, {1}
    world.turns(1)
    world.busy = set()
    return world.turns(4)


def is_stopped():
    world = World()
    world.busy = {1}
    world.turns(1)
    world.busy, world.is_open, world.active = set(), False, 2
    return world.turns(2)


def loses_queue():
    """Without an archive, jobs that wait keep the lead."""
    world = World(keeps_queue=False)
    world.active = 1
    world.turns(2)
    world.busy = {1}
    world.turns(1)
    world.busy, world.active, world.is_open = set(), 0, False
    return world.turns(1)


def is_refused():
    """Tries after 0, 1, 3 and 7 s."""
    world = World()
    world.busy, world.error = {1}, Refused(403, "poddisruptionbudgets is forbidden")
    world.turns(8)
    world.error = None
    return world.turns(8)


def repeats():
    """Another client may have changed the selector."""
    return World().turns(62)


def loses_broker():
    world = World()
    world.busy = {1}
    world.turns(1)
    world.broken = OSError(104, "Connection reset by peer")
    for _ in range(3):
        try:
            world.turns(1)
        except OSError as error:
            world.log.append(error.errno)
    world.broken = None
    return world.turns(1)


def leaves():
    world = World()
    world.turns(1)
    with open(os.path.join(os.environ["MINICLUSTER_RUN"], "leaving"), "w", encoding="utf-8"):
        pass
    world.busy = {1}
    return world.turns(3)


def writes():
    """The patch, with ranks and without."""
    folder = tempfile.mkdtemp()
    with open(os.path.join(folder, "namespace"), "w", encoding="utf-8") as file:
        file.write("hpc\n")
    world = World()
    found = Budget(folder, "lammps")
    found.ask = lambda method, body: world.log.append([method, found.path, body])
    found.cover({10, 2})
    found.cover(set())
    return world


os.environ["MINICLUSTER_RUN"] = tempfile.mkdtemp()
print(json.dumps(globals()[sys.argv[1]]().log))
