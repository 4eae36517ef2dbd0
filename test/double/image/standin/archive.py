"""What outlives an instance: its jobs and what happened to its resources. Checked: etc/modprobe/{rc1,rc3}.py
(content.restore, content.dump), src/cmd/builtin/{dump,restore}.c, src/modules/kvs/kvs_checkpoint.c.

Flux keeps its whole content store in statedir and dumps it as a tar file; here it is one JSON object.
"""

import io
import json
import os
import tarfile
import time
import zlib
from dataclasses import fields
from typing import TYPE_CHECKING

from . import log
from .duration import parse_duration
from .errors import Refusal
from .job_record import Job
from .resources import decode_resources, encode_resources

if TYPE_CHECKING:
    from .attributes import Attributes
    from .leader import Leader

MEMBER = "jobs.json"
# Of Flux' own members the one that is always there.
EVENTS = "resource/eventlog"
# rc1 restores with --size-limit=100M.
LARGEST = 100 << 20
KEPT = ("id", "spec", "urgency", "waitable", "state", "records", "exception", "status", "times")


def folder_of(attributes: "Attributes") -> str:
    statedir = attributes.get("statedir") if attributes.get("statedir-cleanup") == "0" else "."
    return os.path.join(statedir or ".", "dump")


class Damaged(Refusal):
    """What an earlier broker has left can't be read."""


def restore(attributes: "Attributes", leader: "Leader") -> str | None:
    """Before the job manager starts; the file that was restored. The link to a damaged or missing one stays."""
    path = attributes.get("content.restore")
    if not path:
        return None
    link = os.path.join(folder_of(attributes), "RESTORE") if path == "auto" else None
    if link and not os.path.islink(link):
        return None
    source = os.path.realpath(link or path)
    if os.path.exists(source):
        content = read(source, leader.broker.logs)
        if content is not None:
            take_up(leader, content)
        if link:
            os.unlink(link)
    return source


def read(path: str, logs: log.Log) -> dict | None:
    """An empty file is an empty archive, and what is too large in one is left out."""
    if os.path.getsize(path) == 0:
        return None
    content = None
    try:
        with tarfile.open(path) as archive:
            for entry in archive:
                if entry.size > LARGEST:
                    logs.write(
                        "broker", log.ERR, f"rc1.0: {entry.name} size {entry.size} exceeds {LARGEST} limit, skipping"
                    )
                elif entry.name == MEMBER:
                    content = json.load(archive.extractfile(entry))  # type: ignore[arg-type]
    except (tarfile.TarError, zlib.error, EOFError, OSError, ValueError) as error:
        raise Damaged(f"flux-restore: {error}") from None
    return content


def dump(attributes: "Attributes", leader: "Leader") -> str | None:
    """After the last job has ended; the file that was written."""
    path = attributes.get("content.dump")
    if not path:
        return None
    link = None
    if path == "auto":
        os.makedirs(folder_of(attributes), exist_ok=True)
        path = os.path.join(folder_of(attributes), time.strftime("%Y%m%d_%H%M%S.tgz"))
        link = os.path.join(folder_of(attributes), "RESTORE")
    write(path, content_of(leader, clean=True))
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

    def __init__(self, leader: "Leader"):
        self.leader = leader
        self.last = b""
        self.number = 0

    def version(self) -> int:
        content = content_of(self.leader)
        if content != self.last:
            self.last = content
            self.number += 1
        return self.number

    def text(self) -> str:
        return content_of(self.leader).decode()


class Checkpoint:
    """The content store of an instance whose statedir is kept: a broker that was killed goes on from its last one."""

    def __init__(self, attributes: "Attributes", leader: "Leader", config: dict, logs: log.Log):
        kept = attributes.get("statedir-cleanup") == "0" and attributes.get("statedir")
        self.path = os.path.join(kept, MEMBER) if kept else None
        self.leader, self.logs = leader, logs
        self.period = parse_duration(config.get("kvs", {}).get("checkpoint-period", "0s"))
        self.last = b""
        self.epoch = 0

    def restore(self) -> None:
        if self.path and os.path.exists(self.path):
            try:
                with open(self.path, encoding="utf-8") as file:
                    content = json.load(file)
            except ValueError as error:
                raise Damaged(f"content-sqlite: {self.path}: {error}") from None
            take_up(self.leader, content)

    def save(self, clean: bool = False) -> None:
        data = content_of(self.leader, clean)
        if not self.path or data == self.last:
            return
        with open(f"{self.path}.new", "wb") as file:
            file.write(data)
        os.replace(file.name, self.path)
        self.last = data
        self.epoch += 1
        self.logs.write("content-sqlite", log.DEBUG, f"checkpoint-put: advanced epoch to {self.epoch}")


def content_of(leader: "Leader", clean: bool = False) -> bytes:
    known = {field.name for field in fields(Job)}
    kept = [
        {**{name: getattr(job, name) for name in KEPT if name in known}, "R": encode_resources(job.nodes)}
        for job in leader.jobs.jobs.values()
    ]
    return json.dumps({"jobs": kept, "last_id": leader.jobs.last_id, "events": leader.events, "clean": clean}).encode()


def take_up(leader: "Leader", content: dict) -> None:
    for kept in content["jobs"]:
        leader.jobs.take_up(Job(**{name: kept[name] for name in KEPT}, nodes=decode_resources(kept["R"])))
    leader.jobs.last_id = content["last_id"]
    leader.replay(content["events"])
    if not content["clean"]:
        leader.broker.logs.write(
            "broker", log.INFO, "rc1.0: Flux was not shut down properly.  Data may have been lost."
        )
