"""Prints what Flux remembers of an instance: its resources, when ranks joined and left, and the events of all jobs.

The job manager and the resource module send their memory as one stream each, so that thousands of jobs cost one
request. The first line is about the instance, each further line about a job; each is an object of JSON.
"""

import json
import sys
import time

import flux
import flux.job
from flux.constants import FLUX_RPC_STREAMING

# Jobs that are printed: the last ones to be submitted.
MOST = int(sys.argv[1])
# Seconds without an answer.
PATIENCE = 30.0
# FLUX_JOBID_ANY: the answer after the past events of all jobs.
ANY = -1
# Characters of a text that a user of Flux chooses.
LONGEST = 300
# Events of a job whose times are printed.
TIMED = ("submit", "depend", "alloc", "start", "finish", "clean")


def past(handle: "flux.Flux", topic: str, payload: dict):
    """The answers of a stream until the one without events, which is the last one about the past."""
    future = handle.rpc(topic, payload, flags=FLUX_RPC_STREAMING)
    while True:
        answer = future.wait_for(PATIENCE).get()
        if not answer["events"] and answer.get("id", ANY) == ANY:
            return
        yield answer
        future.reset()


def job_of(answer: dict) -> dict:
    job: dict = {"id": flux.job.JobID(answer["id"]).f58plain}
    for event in answer["events"]:
        name, context = event["name"], event.get("context") or {}
        if name in TIMED:
            job.setdefault(name, round(event["timestamp"], 3))
        if name == "submit":
            job["user"] = context.get("userid")
        elif name == "finish":
            job["status"] = context.get("status")
        elif name == "exception" and context.get("severity") == 0 and "exception" not in job:
            note = (context.get("note") or "")[:LONGEST]
            job["exception"] = {"at": round(event["timestamp"], 3), "type": context.get("type"), "note": note}
    spec = answer.get("jobspec") or {}
    system = spec.get("attributes", {}).get("system", {})
    command = (spec.get("tasks") or [{}])[0].get("command") or [""]
    words = [command] if isinstance(command, str) else command
    job["name"] = (system.get("job", {}).get("name") or words[0].split("/")[-1])[:LONGEST]
    if system.get("queue"):
        job["queue"] = system["queue"]
    if answer.get("R"):
        job["resources"] = answer["R"]["execution"]["R_lite"]
    return job


def ranks_of(handle: "flux.Flux") -> dict:
    """The resources of each rank, and when ranks joined, left and were drained. Past brokers' events are lost."""
    events: list[dict] = []
    resources = None
    for answer in past(handle, "resource.journal", {}):
        if answer.get("R"):
            resources = answer["R"]["execution"]["R_lite"]
        for event in answer["events"]:
            context = event.get("context") or {}
            ranks = context.get("online") if event["name"] == "restart" else context.get("idset")
            if ranks is not None:
                reason = (context.get("reason") or "")[:LONGEST]
                events.append({"at": event["timestamp"], "name": event["name"], "ranks": ranks, "reason": reason})
    return {"resources": resources, "events": events}


def main():
    handle = flux.Flux()
    jobs = [job_of(answer) for answer in past(handle, "job-manager.events-journal", {"full": True})]
    jobs.sort(key=lambda job: job.get("submit", 0))
    instance = {
        "flux": handle.attr_get("version"),
        "now": time.time(),
        "started": float(handle.attr_get("broker.starttime")),
        "jobs": len(jobs),
        **ranks_of(handle),
    }
    for line in [instance, *jobs[-MOST:]]:
        print(json.dumps(line, separators=(",", ":")))


main()
