"""The outputs of jobs in the key-value store: the only keys that it has here. Each piece of an output is a blob.

Checked: RFC 24, src/shell/output/kvs.c, src/common/libioencode/ioencode.c, src/common/libkvs/treeobj.c (valref)."""

import base64
import errno
import hashlib
import json
import os
import re
import signal
from collections.abc import Iterator

from .errors import RpcError
from .idset import encode_idset
from .job_record import Job
from .jobid import decode_jobid
from .rpc import Request, Switch

LEVELS = {"FATAL": 2, "ERROR": 3, " WARN": 4}
# What `flux job attach` makes the broker of flux-core need for each byte of a job that has ended: it holds all events
# of the output at once, several times. src/modules/kvs-watch/kvs-watch.c (load_range), src/modules/job-info/watch.c
BYTES_OF_WATCH = 10
LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")


class OutputStore:
    """Answers lookups of outputs, and loads of their blobs."""

    def __init__(self, switch: Switch, jobs: dict[int, Job]):
        self.jobs = jobs
        # The job and the number of each blob that a lookup has named.
        self.places: dict[str, tuple[int, int]] = {}
        switch.add("kvs.lookup", self.lookup)
        switch.add("content.load", self.load)

    def lookup(self, request: Request) -> None:
        match = re.fullmatch(r"(job\.[0-9a-f.]+)\.guest\.output", request.payload["key"])
        job = self.jobs.get(decode_jobid(match[1])) if match else None
        if job is None or not job.started:
            raise RpcError(errno.ENOENT, "No such file or directory")
        names = []
        for number, blob in enumerate(blobs_of(job)):
            names.append(f"sha1-{hashlib.sha1(blob).hexdigest()}")
            self.places[names[-1]] = (job.id, number)
        request.respond({"data": names, "type": "valref", "ver": 1})

    def load(self, request: Request) -> None:
        jobid, number = self.places.get(request.payload["ref"], (0, 0))
        job = self.jobs.get(jobid)
        if job is None:
            raise RpcError(errno.ENOENT, "No such file or directory")
        blob = blob_of(job, parts_of(job)[number])
        request.respond({"data": base64.b64encode(blob).decode()})


def blobs_of(job: Job) -> Iterator[bytes]:
    return (blob_of(job, part) for part in parts_of(job))


def parts_of(job: Job) -> list[dict]:
    """The records of an output, between two others for its begin and its end."""
    ends = [{"eof": True}] if job.state == "INACTIVE" else []
    return [
        {"header": True},
        *(record for record in job.records if "event" not in record and "end" not in record),
        *ends,
    ]


def blob_of(job: Job, part: dict) -> bytes:
    begin, tasks = job.times["start"], job.spec["ntasks"]
    if "header" in part:
        encoding, count = {"stdout": "UTF-8", "stderr": "UTF-8"}, {"stdout": tasks, "stderr": tasks}
        return entry(begin, "header", {"version": 1, "encoding": encoding, "count": count, "options": {}})
    if "eof" in part:
        ends = [{"stream": stream, "rank": encode_idset(range(tasks)), "eof": True} for stream in ("stderr", "stdout")]
        return b"".join(entry(begin, "data", end) for end in ends)
    if "stream" in part:
        return entry(begin, "data", data_of(part))
    if "redirect" in part:
        return entry(begin, "redirect", {"stream": part["redirect"], "rank": part["ranks"], "path": part["path"]})
    return entry(part["timestamp"], "log", message_of(part["shell"]))


def entry(moment: float, name: str, context: dict) -> bytes:
    text = json.dumps({"timestamp": moment, "name": name, "context": context}, separators=(",", ":"))
    return text.encode() + b"\n"


def data_of(record: dict) -> dict:
    data = base64.b64decode(record["data"])
    head = {"stream": record["stream"], "rank": str(record["task"])}
    try:
        return {**head, "data": data.decode()}
    except UnicodeDecodeError:
        return {**head, "encoding": "base64", "data": record["data"]}


def message_of(text: str) -> dict:
    """The parts of `flux-shell[RANK]: LEVEL: message`."""
    match = re.fullmatch(r"flux-shell(?:\[(\d+)\])?: (?:(FATAL|ERROR| WARN): )?(.*)", text, re.DOTALL)
    if match is None:
        return {"level": 5, "message": text}
    rank, level, message = match.groups()
    return {**({"rank": int(rank)} if rank else {}), "level": LEVELS.get(level, 5), "message": message}


def endure(job: Job) -> None:
    """Ends this broker as the kernel ends that of flux-core if all of an output needs more memory than the limit."""
    size = sum(len(record["data"]) * 3 // 4 for record in job.records if "stream" in record)
    if job.state == "INACTIVE" and BYTES_OF_WATCH * size > memory_limit():
        os.kill(os.getpid(), signal.SIGKILL)


def memory_limit() -> float:
    for path in LIMITS:
        try:
            with open(path) as file:
                return float(file.read())
        except (OSError, ValueError):
            continue
    return float("inf")
