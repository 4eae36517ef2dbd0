"""What outlives an instance: its jobs. Checked: etc/modprobe/{rc1,rc3}.py (content.restore, content.dump), flux-dump(1),
src/modules/kvs/kvs_checkpoint.c.

Flux keeps its whole content store in statedir and dumps it as a tar file; here it is the jobs alone.
"""
import io
import json
import os
import tarfile
import time
from dataclasses import fields
from typing import TYPE_CHECKING

from . import log
from .duration import parse_duration
from .job_record import Job
from .resources import decode_resources, encode_resources

if TYPE_CHECKING:
    from .attributes import Attributes
    from .jobs import JobManager

MEMBER = "jobs.json"
# Of Flux' own members the one that is always there.
EVENTS = "resource/eventlog"
KEPT = ("id", "spec", "urgency", "waitable", "state", "records", "exception", "status", "times")


def folder_of(attributes: "Attributes") -> str:
    statedir = attributes.get("statedir") if attributes.get("statedir-cleanup") == "0" else "."
    return os.path.join(statedir or ".", "dump")


def restore(attributes: "Attributes", jobs: "JobManager") -> str | None:
    """Before the job manager starts; the file that was restored."""
    path = attributes.get("content.restore")
    if not path:
        return None
    link = os.path.join(folder_of(attributes), "RESTORE") if path == "auto" else None
    if link and not os.path.islink(link):
        return None
    source = os.path.realpath(link or path)
    if os.path.exists(source):
        with tarfile.open(source) as archive:
            take_up(jobs, json.load(archive.extractfile(MEMBER)))  # type: ignore[arg-type]
    if link:
        os.unlink(link)
    return source


def dump(attributes: "Attributes", jobs: "JobManager") -> str | None:
    """After the last job has ended; the file that was written."""
    path = attributes.get("content.dump")
    if not path:
        return None
    link = None
    if path == "auto":
        os.makedirs(folder_of(attributes), exist_ok=True)
        path = os.path.join(folder_of(attributes), time.strftime("%Y%m%d_%H%M%S.tgz"))
        link = os.path.join(folder_of(attributes), "RESTORE")
    write(path, content_of(jobs))
    if link:
        os.symlink(os.path.basename(path), link)
    return path


def write(path: str, content: bytes) -> None:
    event = json.dumps({"timestamp": time.time(), "name": "restart", "context": {}}).encode() + b"\n"
    with tarfile.open(path, "w:gz") as archive:
        for name, data in ((MEMBER, content), (EVENTS, event)):
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))


class Snapshots:
    """What `flux dump` writes of an instance that runs, and the version by which one sees that it has changed."""

    def __init__(self, jobs: "JobManager"):
        self.jobs = jobs
        self.last = b""
        self.number = 0

    def version(self) -> int:
        content = content_of(self.jobs)
        if content != self.last:
            self.last = content
            self.number += 1
        return self.number

    def text(self) -> str:
        return content_of(self.jobs).decode()


class Checkpoint:
    """The content store of an instance whose statedir is kept: a broker that was killed goes on from its last one."""

    def __init__(self, attributes: "Attributes", jobs: "JobManager", config: dict, logs: log.Log):
        kept = attributes.get("statedir-cleanup") == "0" and attributes.get("statedir")
        self.path = os.path.join(kept, MEMBER) if kept else None
        self.jobs, self.logs = jobs, logs
        self.period = parse_duration(config.get("kvs", {}).get("checkpoint-period", "0s"))
        self.last = b""
        self.epoch = 0

    def restore(self) -> None:
        if self.path and os.path.exists(self.path):
            with open(self.path, encoding="utf-8") as file:
                take_up(self.jobs, json.load(file))

    def save(self) -> None:
        data = content_of(self.jobs)
        if not self.path or data == self.last:
            return
        with open(f"{self.path}.new", "wb") as file:
            file.write(data)
        os.replace(file.name, self.path)
        self.last = data
        self.epoch += 1
        self.logs.write("content-sqlite", log.DEBUG, f"checkpoint-put: advanced epoch to {self.epoch}")


def content_of(jobs: "JobManager") -> bytes:
    known = {field.name for field in fields(Job)}
    kept = [{**{name: getattr(job, name) for name in KEPT if name in known}, "R": encode_resources(job.nodes)}
            for job in jobs.jobs.values()]
    return json.dumps({"jobs": kept, "last_id": jobs.last_id}).encode()


def take_up(jobs: "JobManager", content: dict) -> None:
    for kept in content["jobs"]:
        jobs.take_up(Job(**{name: kept[name] for name in KEPT}, nodes=decode_resources(kept["R"])))
    jobs.last_id = content["last_id"]
