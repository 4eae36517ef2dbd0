"""What outlives an instance: its jobs. Checked: etc/modprobe/{rc1,rc3}.py (content.restore, content.dump), flux-dump(1).

Flux dumps its whole content store as a tar file; here it is a tar file with the jobs in it.
"""
import io
import json
import os
import tarfile
import time
from dataclasses import fields
from typing import TYPE_CHECKING

from .job_record import Job
from .resources import decode_resources, encode_resources

if TYPE_CHECKING:
    from .attributes import Attributes
    from .jobs import JobManager

MEMBER = "jobs.json"
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
            content = json.load(archive.extractfile(MEMBER))  # type: ignore[arg-type]
        for kept in content["jobs"]:
            jobs.take_up(Job(**{name: kept[name] for name in KEPT}, nodes=decode_resources(kept["R"])))
        jobs.last_id = content["last_id"]
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
    known = {field.name for field in fields(Job)}
    kept = [{**{name: getattr(job, name) for name in KEPT if name in known}, "R": encode_resources(job.nodes)}
            for job in jobs.jobs.values()]
    data = json.dumps({"jobs": kept, "last_id": jobs.last_id}).encode()
    with tarfile.open(path, "w:gz") as archive:
        entry = tarfile.TarInfo(MEMBER)
        entry.size = len(data)
        archive.addfile(entry, io.BytesIO(data))
    if link:
        os.symlink(os.path.basename(path), link)
    return path
