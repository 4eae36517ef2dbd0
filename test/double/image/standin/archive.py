"""The content that outlives an instance: its jobs and its resource events. Checked: etc/modprobe/{rc1,rc3}.py
(content.restore, content.dump), src/cmd/builtin/{dump,restore}.c, src/modules/kvs/kvs_checkpoint.c.

Flux keeps its whole content store in statedir and dumps it as a tar file. Here the content is one JSON object.
"""

import errno
import io
import json
import os
import tarfile
import time
import zlib
from dataclasses import fields
from typing import Protocol

from . import log
from .attributes import Attributes
from .duration import parse_duration
from .errors import Refusal
from .job_record import Job
from .jobs import JobManager
from .resources import decode_resources, encode_resources

MEMBER = "jobs.json"
# The member that each dump of Flux has.
EVENTS = "resource/eventlog"
# rc1 restores with --size-limit=100M.
LARGEST = 100 << 20
KEPT = ("id", "spec", "urgency", "waitable", "state", "records", "exception", "status", "times", "waits")


class Instance(Protocol):
    """The content of rank 0: jobs and resource events."""

    jobs: JobManager
    values: dict[str, object]
    events: list[dict]
    logs: log.Log

    def replay(self, events: list[dict]) -> None: ...


def folder_of(attributes: Attributes) -> str:
    statedir = attributes.get("statedir") if attributes.get("statedir-cleanup") == "0" else "."
    return os.path.join(statedir or ".", "dump")


class Damaged(Refusal):
    """The content that an earlier broker left can't be read."""


def restore(attributes: Attributes, instance: Instance) -> str | None:
    """Returns the file that was restored. If it is damaged or missing, the link to it stays."""
    path = attributes.get("content.restore")
    if not path:
        return None
    link = os.path.join(folder_of(attributes), "RESTORE") if path == "auto" else None
    if link and not os.path.islink(link):
        return None
    source = os.path.realpath(link or path)
    if os.path.exists(source):
        content = read(source, instance.logs)
        if content is not None:
            take_up(instance, content)
        if link:
            os.unlink(link)
    return source


def read(path: str, logs: log.Log) -> dict | None:
    """Reads an archive. An empty file is an empty archive. Members that are too large are skipped."""
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
                    file = archive.extractfile(entry)
                    content = json.load(file) if file else None
    except (tarfile.TarError, zlib.error, EOFError, OSError, ValueError) as error:
        raise Damaged(f"flux-restore: {error}") from None
    return content


def dump(attributes: Attributes, instance: Instance) -> str | None:
    """Writes the dump after the last job has ended, and returns its file."""
    path = attributes.get("content.dump")
    if not path:
        return None
    link = None
    if path == "auto":
        os.makedirs(folder_of(attributes), exist_ok=True)
        path = os.path.join(folder_of(attributes), time.strftime("%Y%m%d_%H%M%S.tgz"))
        link = os.path.join(folder_of(attributes), "RESTORE")
    write(path, content_of(instance, clean=True))
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
    """The content of a running instance for `flux dump`, and its version, which changes with it."""

    def __init__(self, instance: Instance):
        self.instance = instance
        self.last = b""
        self.number = 0

    def version(self) -> int:
        content = content_of(self.instance)
        if content != self.last:
            self.last = content
            self.number += 1
        return self.number

    def text(self) -> str:
        return content_of(self.instance).decode()


class Checkpoint:
    """The content store of an instance whose statedir is kept. A killed broker starts from its last checkpoint."""

    def __init__(self, attributes: Attributes, instance: Instance, config: dict):
        kept = attributes.get("statedir-cleanup") == "0" and attributes.get("statedir")
        self.path = os.path.join(kept, MEMBER) if kept else None
        self.instance = instance
        self.period = parse_duration(config.get("kvs", {}).get("checkpoint-period", "0s"))
        self.last = b""
        self.epoch = 0

    def restore(self) -> None:
        if self.path:
            self.open_journal(f"{self.path}-{os.getpid()}")
        if self.path and os.path.exists(self.path):
            try:
                with open(self.path, encoding="utf-8") as file:
                    content = json.load(file)
            except ValueError as error:
                raise Damaged(f"content-sqlite: {self.path}: {error}") from None
            take_up(self.instance, content)

    def open_journal(self, path: str) -> None:
        """SQLite writes its journal when it opens the store, so content-sqlite fails on a full disk."""
        try:
            with open(path, "wb") as file:
                file.write(bytes(4096))
            os.remove(path)
        except OSError:
            raise Damaged("content-sqlite: setting sqlite 'journal_mode' pragma: disk I/O error(4874)") from None

    def save(self, clean: bool = False) -> None:
        data = content_of(self.instance, clean)
        if not self.path or data == self.last:
            return
        try:
            with open(f"{self.path}.new", "wb") as file:
                file.write(data)
            os.replace(file.name, self.path)
        except OSError as error:
            full = "store: executing stmt: database or disk is full(13)"
            self.instance.logs.write("content-sqlite", log.ERR, full if error.errno == errno.ENOSPC else str(error))
            return
        self.last = data
        self.epoch += 1
        self.instance.logs.write("content-sqlite", log.DEBUG, f"checkpoint-put: advanced epoch to {self.epoch}")


def content_of(instance: Instance, clean: bool = False) -> bytes:
    known = {field.name for field in fields(Job)}
    kept = [
        {**{name: getattr(job, name) for name in KEPT if name in known}, "R": encode_resources(job.nodes)}
        for job in instance.jobs.jobs.values()
    ]
    more = {"events": instance.events, "values": instance.values, "clean": clean}
    return json.dumps({"jobs": kept, "last_id": instance.jobs.last_id, **more}).encode()


def take_up(instance: Instance, content: dict) -> None:
    for kept in content["jobs"]:
        instance.jobs.take_up(Job(**{name: kept[name] for name in KEPT}, nodes=decode_resources(kept["R"])))
    instance.jobs.last_id = content["last_id"]
    instance.values.update(content["values"])
    instance.replay(content["events"])
    if not content["clean"]:
        instance.logs.write("broker", log.INFO, "rc1.0: Flux was not shut down properly.  Data may have been lost.")
