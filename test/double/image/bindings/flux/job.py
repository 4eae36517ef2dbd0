"""Jobs. Checked: src/bindings/python/flux/job/{submit,wait,list,kvslookup,event,kill,JobID,Jobspec}.py,
src/modules/job-list/job_util.c."""

import errno
import json
from collections import deque
from typing import NamedTuple

from flux import Flux, Future
from standin.errors import RpcError
from standin.jobid import decode_jobid, dothex, encode_f58
from standin.jobspec import canonical, make_jobspec, submit_options
from standin.jobspec_reader import read_jobspec
from standin.journal import entry_of

STATES = {"DEPEND": 2, "PRIORITY": 4, "SCHED": 8, "RUN": 16, "CLEANUP": 32, "INACTIVE": 64}
RESULTS = {"COMPLETED": 1, "FAILED": 2, "CANCELED": 4, "TIMEOUT": 8}


class JobID(int):
    def __new__(cls, value: "int | str") -> "JobID":
        return super().__new__(cls, decode_jobid(value) if isinstance(value, str) else value)

    @property
    def kvs(self) -> str:
        return f"job.{dothex(self)}"

    @property
    def f58plain(self) -> str:
        return encode_f58(self, "f")


class JobspecV1:
    """A request for a job, as `flux submit` makes it."""

    OPTIONS = submit_options("flux submit", "", "")

    def __init__(self, jobspec: dict):
        self.jobspec = jobspec

    @classmethod
    def from_command(cls, command: "list[str]", num_tasks: int = 1, cores_per_task: int = 1) -> "JobspecV1":
        words = [f"--ntasks={num_tasks}", f"--cores-per-task={cores_per_task}", "--", *command]
        return cls(canonical(make_jobspec("flux submit", cls.OPTIONS.parse(words))))

    def dumps(self) -> str:
        return json.dumps(self.jobspec)


class SubmitFuture(Future):
    def get_id(self) -> JobID:
        return JobID(self.get()["id"])


def submit_async(handle: Flux, jobspec: "JobspecV1 | str", urgency: int = 16, waitable: bool = False) -> SubmitFuture:
    text = jobspec if isinstance(jobspec, str) else jobspec.dumps()
    payload = {"spec": read_jobspec(json.loads(text)), "urgency": urgency, "waitable": waitable}
    return SubmitFuture(handle, "job-manager.submit", payload)


def submit(handle: Flux, jobspec: "JobspecV1 | str", urgency: int = 16, waitable: bool = False) -> JobID:
    return submit_async(handle, jobspec, urgency, waitable).get_id()


class JobWaitResult(NamedTuple):
    jobid: JobID
    success: bool
    errstr: bytes


def wait(handle: Flux, jobid: int) -> JobWaitResult:
    """Waits for the end of a waitable job."""
    job = Future(handle, "job-manager.wait", {"id": int(jobid)}).get()
    success = job["result"] == "COMPLETED"
    return JobWaitResult(JobID(jobid), success, b"" if success else b"task(s) exited with an error")


class JobInfoLookupRPC(Future):
    def __init__(self, handle: Flux, jobid: int, keys: "list[str]"):
        self.keys = keys
        super().__init__(handle, "job-manager.info", {"id": jobid})

    def get(self) -> dict:
        found = super().get()
        events = [json.dumps(event, separators=(",", ":"), ensure_ascii=False) + "\n" for event in found["events"]]
        known = {"jobspec": json.dumps(canonical(found["jobspec"])), "eventlog": "".join(events)}
        return {"id": found["id"], **{key: known[key] for key in self.keys}}


def job_info_lookup(handle: Flux, jobid: int, keys: "list[str]") -> JobInfoLookupRPC:
    if not set(keys) <= {"jobspec", "eventlog"}:
        raise NotImplementedError(f"stand-in: the keys {keys} exist in flux-core but are not implemented here")
    return JobInfoLookupRPC(handle, int(jobid), keys)


class JobEventWatchFuture(Future):
    """The events of a job, one after the other."""

    def __init__(self, handle: Flux, jobid: int):
        self.later: deque[tuple[dict | None, RpcError | None]] = deque()
        super().__init__(handle, "job-manager.watch", {"id": jobid})

    def fulfill(self, payload: "dict | None", error: "RpcError | None") -> None:
        self.later.append((payload, error))
        if error is not None or (payload and "end" in payload):
            self.handle.waiting -= 1 if self.callback is not None else 0
        if self.callback is not None:
            self.callback()

    def get_event(self) -> "dict | None":
        """The next event; None after the last one."""
        while not self.later:
            self.handle.client.wait()
        payload, error = self.later.popleft()
        if error is not None or payload is None:
            raise OSError(errno.ENOENT, "job does not exist")
        return None if "end" in payload else entry_of(payload)


def event_watch_async(handle: Flux, jobid: int) -> JobEventWatchFuture:
    return JobEventWatchFuture(handle, int(jobid))


class ListFuture(Future):
    """Jobs of one name with the wanted attributes: the active ones, then those that have ended since a time."""

    def __init__(self, handle: Flux, name: str, attributes: "list[str]", since: float):
        self.name, self.attributes, self.since = name, attributes, since
        super().__init__(handle, "job-manager.list", {})

    def get_jobs(self) -> "list[dict]":
        jobs = [job for job in self.get()["jobs"] if job["name"] == self.name]
        jobs = [job for job in jobs if job["state"] != "INACTIVE" or job["times"]["clean"] > self.since]
        jobs.sort(key=lambda job: job["state"] == "INACTIVE")
        return [describe(job, self.attributes) for job in jobs]


def describe(job: dict, attributes: "list[str]") -> dict:
    """The attributes that a job has in its state."""
    described = {"state": STATES[job["state"]], "t_submit": job["times"]["submit"]}
    if job["times"].get("start") is not None and job["returncode"] is not None:
        described["waitstatus"] = job["returncode"] << 8
    if job["state"] == "INACTIVE":
        described |= {"result": RESULTS[job["result"]], "exception_occurred": job["exception"] is not None}
        for name, value in (job["exception"] or {}).items():
            described[f"exception_{name}"] = value
    return {"id": job["id"], **{name: value for name, value in described.items() if name in attributes}}


class JobListIdRPC(Future):
    """One job. Fails if the job is unknown."""

    def __init__(self, handle: Flux, jobid: int, attributes: "list[str]"):
        self.attributes = attributes
        super().__init__(handle, "job-manager.info", {"id": jobid})

    def get_job(self) -> dict:
        return describe(self.get(), self.attributes)


def job_list_id(handle: Flux, jobid: int, attrs: "list[str]") -> JobListIdRPC:
    return JobListIdRPC(handle, int(jobid), attrs)


def job_list(handle: Flux, max_entries: int, attrs: "list[str]", name: str, since: float = 0.0) -> ListFuture:
    if max_entries != 0:
        raise NotImplementedError("stand-in: job_list needs max_entries=0 here")
    return ListFuture(handle, name, attrs, since)


def cancel_async(handle: Flux, jobid: int) -> Future:
    return handle.rpc("job-manager.raise", {"id": int(jobid), "type": "cancel", "severity": 0, "note": ""})
