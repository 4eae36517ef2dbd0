"""RPCs of Flux that the programs beside the lead's broker, maintain.py and ask.sh use: answers of the stand-in in the
form of Flux, with the keys that they read.

Checked: src/modules/resource/{status,drain}.c, src/modules/job-list/{list,job_util,match,stats}.c,
src/modules/job-info/lookup.c, src/modules/job-manager/{queue,queues,job-manager,list,raise}.c."""

import errno
import json

from standin.client import Client
from standin.errors import RpcError
from standin.idset import decode_idset, encode_idset
from standin.jobspec import canonical

STATES = {"NEW": 1, "DEPEND": 2, "PRIORITY": 4, "SCHED": 8, "RUN": 16, "CLEANUP": 32, "INACTIVE": 64}


def sched_status(client: Client, _: dict) -> dict:
    report = client.call("resource.status", {}, 0)
    return {name: report[name] for name in ("all", "allocated", "down")}


def resource_status(client: Client, _: dict) -> dict:
    report = client.call("resource.status", {}, 0)
    offline = [rank for rank in report["ranks"] if rank not in report["up"]]
    return {
        "R": report["all"],
        "online": encode_idset(report["up"]),
        "offline": encode_idset(offline),
        "exclude": encode_idset(report["excluded"]),
        "torpid": "",
        "drain": report["drained"],
    }


def drain(client: Client, payload: dict) -> dict:
    return client.call("resource.drain", {"mode": "", "reason": "", **payload}, 0)


def undrain(client: Client, payload: dict) -> dict:
    return client.call("resource.undrain", {"mode": "", **payload}, 0)


def job_list(client: Client, payload: dict) -> dict:
    """The constraints `states`, `ranks`, `t_run` with > and `and` are known."""
    chosen = [job for job in client.call("job-manager.list", {}, 0)["jobs"] if meets(job, payload["constraint"])]
    chosen.sort(key=lambda job: (-job["urgency"], job["id"]))
    return {"jobs": [listed(job, payload["attrs"]) for job in chosen[: payload["max_entries"] or None]]}


def active_jobs(client: Client, _: dict) -> dict:
    jobs = client.call("job-manager.list", {}, 0)["jobs"]
    return {"jobs": [listed(job, ["state", "t_submit"]) for job in jobs if job["state"] != "INACTIVE"]}


def meets(job: dict, constraint: dict) -> bool:
    ((operator, values),) = constraint.items()
    if operator == "and":
        return all(meets(job, each) for each in values)
    (value,) = values
    if operator == "states":
        return bool(STATES[job["state"]] & value)
    if operator == "ranks":
        return not set(decode_idset(value)).isdisjoint(job["ranks"])
    if operator == "t_run" and value.startswith(">"):
        return job["times"].get("alloc", 0) > float(value[1:])
    raise RpcError(errno.ENOSYS, f"stand-in: the constraint {operator} {value} is not implemented here")


def listed(job: dict, names: list[str]) -> dict:
    times = {"t_submit": job["times"]["submit"], "t_run": job["times"].get("alloc")}
    known = {"state": STATES[job["state"]], "queue": job["queue"], "name": job["name"], **times}
    # A job that waits for another job has no priority yet.
    if job["state"] not in ("NEW", "DEPEND"):
        known["priority"] = job["urgency"]
    return {"id": job["id"], **{name: known[name] for name in names if known.get(name) is not None}}


def list_id(client: Client, payload: dict) -> dict:
    return {"job": listed(client.call("job-manager.info", {"id": payload["id"]}, 0), payload["attrs"])}


def raise_exception(client: Client, payload: dict) -> dict:
    return client.call("job-manager.raise", {"note": "", **payload}, 0)


def raiseall(client: Client, payload: dict) -> dict:
    states = [name for name, number in STATES.items() if number & payload["states"]]
    return {**client.call("job-manager.raiseall", {"note": "", **payload, "states": states}, 0), "errors": 0}


def lookup(client: Client, payload: dict) -> dict:
    job = client.call("job-manager.info", {"id": payload["id"]}, 0)
    return {"id": job["id"], "jobspec": json.dumps(canonical(job["jobspec"]))}


def queue_list(client: Client, _: dict) -> dict:
    return {"queues": sorted(client.call("config.get", {}, 0)["config"].get("queues", {}))}


def queue_status(client: Client, _: dict) -> dict:
    found = client.call("job-manager.queue", {"change": None}, 0)
    reason = {"stop_reason": found["reason"]} if found["reason"] else {}
    disabled = {"disable_reason": found["disabled"]} if found["disabled"] else {}
    return {"enable": not disabled, "start": found["sched"], **reason, **disabled}


def queue_start(client: Client, payload: dict) -> dict:
    change = {"change": "start" if payload["start"] else "stop", "reason": payload.get("reason")}
    client.call("job-manager.queue", change, 0)
    return {}


def queue_enable(client: Client, payload: dict) -> dict:
    change = {"change": "enable" if payload["enable"] else "disable", "reason": payload.get("reason")}
    client.call("job-manager.queue", change, 0)
    return {}


def job_stats(client: Client, _: dict) -> dict:
    return client.call("job-list.job-stats", {}, 0)


def stats(client: Client, _: dict) -> dict:
    return client.call("job-manager.stats-get", {}, 0)


TRANSLATED = {
    "resource.sched-status": sched_status,
    "resource.status": resource_status,
    "resource.drain": drain,
    "resource.undrain": undrain,
    "job-list.job-stats": job_stats,
    "job-list.list": job_list,
    "job-list.list-id": list_id,
    "job-info.lookup": lookup,
    "job-manager.list": active_jobs,
    "job-manager.queue-list": queue_list,
    "job-manager.queue-status": queue_status,
    "job-manager.queue-start": queue_start,
    "job-manager.queue-enable": queue_enable,
    "job-manager.raise": raise_exception,
    "job-manager.raiseall": raiseall,
    "job-manager.stats-get": stats,
}
