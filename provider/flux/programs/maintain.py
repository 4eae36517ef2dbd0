"""Drains ranks before maintenance, and undrains them: `drain RANKS` and `undrain RANKS`, of which RANKS is a list of
JSON. Prints one JSON object, whose fields are in maintenance.ts.

The lead can't be drained, because all jobs end with it. Its queues are stopped, so that they stay in the archive;
without an archive, no job is accepted any more."""

import json
import os
import sys

import flux
from flux_sets import numbers_in

# undrain.sh undrains a rank with this reason when its next pod has joined.
REASON = "the pod leaves for maintenance"
# The reason of leave.sh and elastic_flux.py. A rank with this reason may be undrained by them.
LEAVING = "the pod is leaving"
LEAD = 0
SECONDS = 20.0


def ask(handle: "flux.Flux", topic: str, **payload: object) -> dict:
    future = handle.rpc(topic, payload)
    future.wait_for(SECONDS)
    return future.get()


def drains_of(handle: "flux.Flux") -> "dict[int, str]":
    """Each drained rank, with the reason."""
    drains = ask(handle, "resource.status")["drain"]
    return {rank: drain["reason"] for ids, drain in drains.items() for rank in numbers_in(ids)}


def queues_of(handle: "flux.Flux") -> "dict[str, dict]":
    """The state of each queue by its name, which is empty for the only one of most clusters."""
    names = ask(handle, "job-manager.queue-list")["queues"] or [""]
    return {name: ask(handle, "job-manager.queue-status", **named(name)) for name in names}


def named(name: str) -> "dict[str, str]":
    return {"name": name} if name else {}


def change_queues(handle: "flux.Flux", names: "list[str]", topic: str, **payload: object):
    for name in names:
        ask(handle, f"job-manager.{topic}", all=False, **payload, **named(name))


def idset(ranks: "list[int]") -> str:
    return ",".join(map(str, sorted(ranks)))


def drain(handle: "flux.Flux", ranks: "list[int]"):
    known = drains_of(handle)
    chosen = [rank for rank in ranks if rank != LEAD and known.get(rank, LEAVING) == LEAVING]
    if chosen:
        # Only a rank that is drained already needs the mode, and only Flux knows whether it is still so.
        ask(handle, "resource.drain", targets=idset(chosen), reason=REASON, mode="overwrite")
    if LEAD in ranks:
        close_queues(handle)


def close_queues(handle: "flux.Flux"):
    queues = queues_of(handle)
    if "MINICLUSTER_ARCHIVE" in os.environ:
        started = [name for name, queue in queues.items() if queue["start"]]
        # The archive must not keep the stopped queues.
        change_queues(handle, started, "queue-start", start=False, reason=REASON, nocheckpoint=True)
    else:
        enabled = [name for name, queue in queues.items() if queue["enable"]]
        change_queues(handle, enabled, "queue-enable", enable=False, reason=REASON)


def undrain(handle: "flux.Flux", ranks: "list[int]"):
    known = drains_of(handle)
    chosen = [rank for rank in ranks if known.get(rank) == REASON]
    if chosen:
        ask(handle, "resource.undrain", targets=idset(chosen))
    if LEAD in ranks:
        queues = queues_of(handle).items()
        stopped = [name for name, queue in queues if queue.get("stop_reason") == REASON]
        change_queues(handle, stopped, "queue-start", start=True, nocheckpoint=True)
        disabled = [name for name, queue in queues if queue.get("disable_reason") == REASON]
        change_queues(handle, disabled, "queue-enable", enable=True)


def allocated(handle: "flux.Flux") -> "set[int]":
    """The ranks that run jobs."""
    entries = (ask(handle, "resource.sched-status")["allocated"] or {}).get("execution", {}).get("R_lite", [])
    return {rank for entry in entries for rank in numbers_in(str(entry["rank"]))}


def main():
    ranks = json.loads(sys.argv[2])
    handle = flux.Flux()
    {"drain": drain, "undrain": undrain}[sys.argv[1]](handle, ranks)
    drains = drains_of(handle)
    queues = queues_of(handle).values()
    found = {
        "drained": {rank: drains[rank] for rank in ranks if rank in drains},
        "busy": sorted(allocated(handle)),
        "jobs": ask(handle, "job-manager.stats-get")["active_jobs"],
        "starts": any(queue["start"] for queue in queues),
        "accepts": any(queue["enable"] for queue in queues),
    }
    print(json.dumps(found))


main()
