"""A Flux and a Job that only remember."""

# pyright: basic, reportMissingImports=false, reportAttributeAccessIssue=false

import json
import sys
import time

sys.path.insert(0, "components/features/elastic")
sys.path.insert(0, "components/parts")
sys.path.insert(0, "provider/contract")

from elastic_flux import State
from elastic_job import ASLEEP, SETTINGS
from elastic_place import Rank, Request
from elastic_rule import Look
from kube_object import Refused


class FakeFlux:
    """Four ranks with one core each. The queue is a list of requests."""

    def __init__(self):
        self.pending, self.used, self.offline, self.drains = [], {}, set(), {}
        self.held = self.running = self.newest = 0
        # An administrator has stopped the queue, if not this program.
        self.started, self.administered = True, False
        self.broken = self.submitted = False
        self.log = []

    def queues(self):
        return {None: {"start": self.started}}

    def read(self, size):
        if self.broken:
            raise OSError(104, "Connection reset by peer")
        ranks = {number: Rank(1) for number in range(4)}
        able = list(enumerate(self.pending)) if self.started else []
        look = Look(size, ranks, dict(self.used), able, out=set(self.drains))
        held = self.held + (0 if self.started else len(self.pending))
        state = State(look, set(self.offline), dict(self.drains), len(able), 0, held)
        state.running, state.newest = len(self.used), self.newest
        state.stopped = [] if self.started or self.administered else [None]
        return state

    def drain(self, ranks):
        if not self.drains.keys().isdisjoint(ranks):
            raise OSError(17, "already drained")
        self.log.append(["drain", ranks])
        # Flux rounds: half of all drains seem to come later than they did.
        self.drains.update({rank: round(time.time()) for rank in ranks})

    def undrain(self, ranks):
        self.log.append(["undrain", ranks])
        for rank in ranks:
            del self.drains[rank]

    def start_queues(self, _names, start):
        self.log.append(["queues", start])
        self.started = start
        if not start and self.late:
            self.submit(Request())

    late = False

    def submit(self, *requests):
        self.pending += requests
        self.newest += 1

    def submissions(self):
        self.log.append(["journal"])
        return FakeSubmissions(self)


class FakeSubmissions:
    def __init__(self, flux):
        self.flux = flux

    def await_one(self, _seconds):
        if self.flux.broken:
            raise OSError(61, "No data available")
        return self.flux.submitted


class FakeJob:
    uid = "a"

    def __init__(self, flux, size, settings):
        self.size, self.suspend = size, False
        self.annotations = {SETTINGS: json.dumps(settings)}
        self.error = self.patch_error = None
        # A patch changes the Job, and its answer is lost.
        self.loses = False
        self.log = flux.log

    def read(self):
        if self.error:
            raise self.error
        metadata = {"uid": "a", "annotations": self.annotations}
        return {"metadata": metadata, "spec": {"completions": self.size, "suspend": self.suspend}}

    def unmark(self):
        del self.annotations[ASLEEP]
        self.log.append(["unmark"])

    def wake(self, _least):
        if self.error:
            self.log.append(["refused", type(self.error).__name__])
            raise self.error
        if not self.suspend or ASLEEP not in self.annotations:
            raise Refused(422, "the server rejected our request")
        self.suspend = False
        del self.annotations[ASLEEP]
        self.log.append(["wake"])

    def sleep(self, size, least):
        self.patch(size, {"completions": least, "parallelism": least, "suspend": True}, {ASLEEP: "now"})

    def is_asleep(self, spec):
        return spec["suspend"]

    def patch(self, size, changes, annotations):
        if self.error:
            self.log.append(["refused", type(self.error).__name__])
            raise self.error
        if self.patch_error and changes:
            self.log.append(["refused", self.patch_error.code])
            raise self.patch_error
        if size != self.size or self.suspend:
            raise Refused(422, "the server rejected our request")
        self.size, self.suspend = changes.get("completions", size), changes.get("suspend", False)
        self.annotations = {**self.annotations, **annotations}
        if changes:
            self.log.append(["size", self.size] + (["suspend"] if self.suspend else []))
        for name in annotations:
            self.log.append(["note", name.split("/")[1]])
        if self.loses:
            self.error = TimeoutError("timed out")
            raise self.error
