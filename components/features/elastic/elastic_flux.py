"""Reads the queue and the resources from Flux by its RPCs, and drains and undrains ranks."""

import json

from elastic_place import Rank, Request, hosts_in, matches
from elastic_rule import Look
from flux_calls import Broker
from flux_sets import amounts_in, numbers_in

# The reason of leave.sh: undrain.sh undrains a rank with this reason when its next pod has joined.
REASON = "the pod is leaving"
# The reason for which a queue is stopped before a sleep.
SLEEP = "the cluster falls asleep"
# src/common/libjob/job.h
DEPEND, PRIORITY, SCHED, RUN, CLEANUP = 2, 4, 8, 16, 32
STARTED = {"start": True}
# Jobs after these are not looked at. More jobs rarely need more ranks, and each one costs time in each look.
MOST_JOBS = 2000
# A jobspec has the files of `--add-file`, so it may have megabytes.
JOBSPECS_AT_ONCE = 4
# FLUX_JOB_LOOKUP_CURRENT of src/common/libjob/job.h: with the changes of `flux update`, such as another queue.
CURRENT = 2


class State:
    """What one look has found."""

    def __init__(self, look: Look, offline: set, leaving: dict, waiting: int, starting: int, held: int):
        self.look = look
        self.offline = offline
        # Ranks that are drained with leave.sh's reason, with the time of the drain.
        self.leaving = leaving
        # Jobs of started queues, jobs that wait for something else than resources, and jobs that can't start.
        self.waiting, self.starting, self.held = waiting, starting, held
        self.running = 0
        # The id of the newest job. Jobs that end between two looks are seen by it alone.
        self.newest = 0
        # Jobs whose jobspec this program doesn't understand.
        self.unreadable = []
        # Queues that are stopped for a sleep.
        self.stopped = []


class Flux(Broker):
    """Reads and changes what concerns the size."""

    def __init__(self):
        super().__init__()
        self.requests = {}

    def read(self, size: int) -> State:
        # Without a scheduler, all jobs would look as if they couldn't start.
        queues = self.scheduled_queues()
        active = {"states": [DEPEND + PRIORITY + SCHED]}
        listed = {"max_entries": MOST_JOBS, "attrs": ["state", "priority", "queue"], "since": 0.0}
        resources, status, jobs, stats = self.ask(
            ("resource.sched-status", {}),
            ("resource.status", {}),
            ("job-list.list", dict(listed, constraint=active)),
            ("job-manager.stats-get", {}),
        )
        able, starting, held = {}, 0, 0
        for job in jobs["jobs"]:
            if job["state"] != SCHED:
                starting += 1
            elif job.get("priority", 0) > 0 and queues.get(job.get("queue"), STARTED)["start"]:
                able[job["id"]] = job.get("queue")
            else:
                held += 1
        ranks = ranks_in(resources["all"])
        drains = drains_in(status)
        look = Look(size, ranks, amounts_in(resources["allocated"]), self.requests_of(able))
        look.out = set(drains)
        look.kept = {rank for rank, (_, reason) in drains.items() if reason != REASON}
        leaving = {rank: at for rank, (at, reason) in drains.items() if reason == REASON}
        state = State(look, numbers_in(status["offline"]), leaving, len(able), starting, held)
        state.running, state.newest = stats["active_jobs"] - len(jobs["jobs"]), stats["max_jobid"]
        state.unreadable = [job for job, queue in able.items() if self.requests[job, queue] is None]
        state.stopped = [name for name, queue in queues.items() if queue.get("stop_reason") == SLEEP]
        return state

    def requests_of(self, jobs: dict):
        """The resources that these jobs of queues ask for. A jobspec is read again if its job is moved to a queue."""
        unknown = [job for job in jobs.items() if job not in self.requests]
        found = dict(self.requests)
        calls = (("job-info.lookup", {"id": job, "keys": ["jobspec"], "flags": CURRENT}) for job, _ in unknown)
        answers = self.answers(calls, JOBSPECS_AT_ONCE)
        for job in unknown:
            # No variable keeps the answer.
            found[job] = readable(next(answers)["jobspec"])
        self.requests = {job: found[job] for job in jobs.items()}
        return [(job, request) for (job, _), request in self.requests.items() if request is not None]

    def drain(self, ranks: list):
        self.ask(("resource.drain", {"targets": idset(ranks), "reason": REASON}))

    def undrain(self, ranks: list):
        self.ask(("resource.undrain", {"targets": idset(ranks)}))

    def start_queues(self, names: list, start: bool):
        """Starts or stops queues. An archive doesn't keep that, so these queues are started after a wake."""
        payload = {"start": start, "all": False, "nocheckpoint": True}
        extra = {} if start else {"reason": SLEEP}
        self.ask(
            *[("job-manager.queue-start", dict(payload, **extra, **({"name": name} if name else {}))) for name in names]
        )


def idset(numbers: list):
    """An idset, whose numbers must ascend."""
    return ",".join(map(str, sorted(numbers)))


def ranks_in(resources: dict):
    execution = resources["execution"]
    amounts = amounts_in(resources)
    properties = {name: numbers_in(ids) for name, ids in execution.get("properties", {}).items()}
    hosts = [host for text in execution.get("nodelist", []) for host in hosts_in(text)]
    names = dict(zip(sorted(amounts), hosts))
    return {
        number: Rank(cores, gpus, names.get(number, ""), frozenset(p for p, of in properties.items() if number in of))
        for number, (cores, gpus) in amounts.items()
    }


def drains_in(status: dict):
    """Each drained rank, with the time and the reason."""
    return {
        number: (drain["timestamp"], drain["reason"])
        for ids, drain in status["drain"].items()
        for number in numbers_in(ids)
    }


def count_in(count: "int | str | dict") -> int:
    """The smallest count of a resource: a number, or a range of RFC 14."""
    if isinstance(count, dict):
        return int(count["min"])
    return count if isinstance(count, int) else min(numbers_in(count.partition(":")[0].rstrip("+")) or {1})


def request_in(jobspec: "str | dict") -> Request:
    """What a jobspec of RFC 25 or RFC 14 asks for."""
    spec = json.loads(jobspec) if isinstance(jobspec, str) else jobspec
    request = Request(slots=1, cores=0)
    seen = set()

    def walk(resource: dict, within: str):
        kind, count = resource["type"], count_in(resource["count"])
        seen.add(kind)
        if kind == "node":
            request.nodes = count * (request.slots if within == "slot" else 1)
            # A slot that contains whole nodes has all of them.
            request.exclusive = bool(resource.get("exclusive")) or within == "slot"
            request.slots = 1
        elif kind == "slot":
            request.slots = count
        elif kind in ("core", "gpu"):
            setattr(request, kind + "s", count)
        for child in resource.get("with", []):
            walk(child, "slot" if kind == "slot" else within)

    for resource in spec["resources"]:
        walk(resource, "")
    if not {"core", "gpu"} & seen and not request.exclusive:
        request.cores = 1
    request.constraint = spec.get("attributes", {}).get("system", {}).get("constraints")
    return request


def readable(jobspec: "str | dict") -> "Request | None":
    """The same, or None if this program doesn't understand the jobspec or its constraint."""
    try:
        request = request_in(jobspec)
        matches(request.constraint, 0, Rank(1))
        return request
    except Exception:
        # One job must not hide the others.
        return None
