"""Asks the lead's broker for its ranks, jobs and resources: by RPCs if Python has Flux' bindings, else by commands."""

import importlib
import json
import os
import re
import subprocess
import time
import typing

from flux_sets import amounts_in, numbers_in

ANSWER_SECONDS = 5
# src/common/libjob/job.h
SCHED, STARTED = 8, 16 + 32 + 64
STATES = ("depend", "priority", "sched", "run", "cleanup", "inactive")
# Of the answer of job-list, and the words of `flux jobs`.
RESULTS = {
    "successful": "completed",
    "failed": "failed",
    "canceled": "canceled",
    "timeout": "timeout",
    "inactive_purged": "purged",
}
# Pending jobs after these are not looked at, and jobs that start between two collections are rarely so many.
MOST_PENDING, MOST_STARTED = 1000, 10000

Call = typing.Tuple[str, dict]


class Found:
    """An answer of the broker: values by the names of metrics, and the waits of the jobs that have started."""

    def __init__(self, values: dict, waits: "list[float]", version: str):
        self.values, self.waits, self.version = values, waits, version


class Bindings:
    """A connection to the broker. It is opened when it is needed, and again after an error."""

    def __init__(self):
        self.handle: typing.Any = None
        # The start of the last job that was counted. Earlier starts belong to an earlier server.
        self.last_start = time.time()

    def ask(self, *calls: Call) -> "list[dict]":
        """Sends all requests at once, and returns their answers."""
        try:
            if self.handle is None:
                import flux

                self.handle = flux.Flux()
            return [answer_of(future) for future in [self.handle.rpc(*call) for call in calls]]
        except OSError:
            self.handle = None
            raise

    def read(self) -> Found:
        stats, status, resources, started, pending, version = self.ask(
            ("job-list.job-stats", {}),
            ("resource.status", {}),
            ("resource.sched-status", {}),
            self.started_jobs(),
            list_of(MOST_PENDING, ["t_submit", "priority"], 0.0, {"states": [SCHED]}),
            ("attr.get", {"name": "version"}),
        )
        values = {
            **job_counts(stats),
            "flux_ranks": ranks_of(status),
            "flux_cores": amounts_by_state(resources, 0),
            "flux_gpus": amounts_by_state(resources, 1),
            "flux_job_oldest_wait_seconds": oldest_wait(pending["jobs"], time.time()),
        }
        starts = [(job["t_run"], job["t_submit"]) for job in started["jobs"] if "t_run" in job]
        self.last_start = max([self.last_start, *(start for start, _ in starts)])
        return Found(values, [max(0.0, start - submitted) for start, submitted in starts], version["value"])

    def started_jobs(self) -> Call:
        """The jobs that have started since the last look. job-list sorts its inactive jobs, and stops at `since`."""
        later = {"and": [{"states": [STARTED]}, {"t_run": [f">{self.last_start!r}"]}]}
        return list_of(MOST_STARTED, ["t_submit", "t_run"], self.last_start, later)


def answer_of(future: "typing.Any") -> dict:
    future.wait_for(ANSWER_SECONDS)
    return future.get()


def list_of(most: int, attributes: "list[str]", since: float, constraint: dict) -> Call:
    wanted = {"max_entries": most, "attrs": attributes, "since": since, "constraint": constraint}
    return "job-list.list", wanted


def job_counts(stats: dict) -> dict:
    return {
        "flux_jobs": {state: stats["job_states"][state] for state in STATES},
        "flux_jobs_inactive": {result: stats[key] for key, result in RESULTS.items()},
    }


def ranks_of(status: dict) -> "dict[str, int]":
    online = numbers_in(status["online"])
    drained = {rank for ids in status["drain"] for rank in numbers_in(ids)} & online
    return {
        "up": len(online - drained),
        "drained": len(drained),
        "down": len(numbers_in(status["offline"])),
    }


def amounts_by_state(resources: dict, place: int) -> "dict[str, int]":
    """Cores (place 0) or GPUs (1). A job may still have the resources of a rank that is down."""
    whole, used = amounts_in(resources["all"]), amounts_in(resources["allocated"])
    allocated = sum(amounts[place] for amounts in used.values())
    down = sum(
        amounts[place] - used.get(rank, (0, 0))[place] for rank, amounts in amounts_in(resources["down"]).items()
    )
    total = sum(amounts[place] for amounts in whole.values())
    return {"allocated": allocated, "free": total - allocated - down, "down": down}


def oldest_wait(jobs: "list[dict]", now: float) -> float:
    """Held jobs have the priority 0, and wait for a user."""
    return max([0.0, *(now - job["t_submit"] for job in jobs if job.get("priority", 0) > 0)])


class Commands:
    """The commands that are no Python programs themselves: they tell jobs and ranks, but no resources."""

    def read(self) -> Found:
        stats = json.loads(output_of("job", "stats"))
        tree = output_of("overlay", "status", "--no-pretty")
        states = re.findall(r"^\s*\d+ \S+: (\w+)", tree, re.MULTILINE)
        up = sum(state in ("full", "partial", "degraded") for state in states)
        ranks = {"up": up, "down": len(states) - up}
        return Found({**job_counts(stats), "flux_ranks": ranks}, [], output_of("getattr", "version").strip())


def output_of(*words: str) -> str:
    said = subprocess.run(
        ["flux", *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        timeout=ANSWER_SECONDS,
        check=True,
    )
    return said.stdout.decode("utf-8", "replace")


class Flux:
    """Reads from a broker that runs. Its socket tells, so that nothing waits for a broker that has ended."""

    def __init__(self, socket: str):
        self.socket = socket
        self.way: typing.Union[Bindings, Commands, None] = None
        # Commands take a hundred times as much CPU as RPCs.
        self.pause = 5

    def read(self) -> Found:
        os.stat(self.socket)
        if self.way is None:
            self.way = self.choose()
        return self.way.read()

    def choose(self) -> "Bindings | Commands":
        try:
            importlib.import_module("flux")
        except ImportError:
            self.pause = 30
            return Commands()
        return Bindings()
