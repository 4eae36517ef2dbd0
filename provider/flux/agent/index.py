"""Finds jobs by their nonce. Flux has no search for an attribute, so the nonces are in the key-value store, which
lasts as long as the jobs: also in an archive."""

import contextlib
import errno
import hashlib
import json
import time

import codes
import flux
import flux.job
import flux.kvs

# Jobs that are looked up at a time.
CHUNK = 1000


class IsArray(Exception):
    """The nonce is that of an array. array.py knows its jobs."""


def is_earlier(nonce: str) -> bool:
    """True for a nonce of an earlier release, which kept no index."""
    return nonce.startswith("n")


def key_of(nonce: str) -> str:
    """In many small folders, because Flux writes a folder anew with each change."""
    digest = hashlib.sha256(nonce.encode()).hexdigest()
    return f"minicluster.{digest[:2]}.{digest[2:4]}.{nonce}"


def put(handle: "flux.Flux", nonce: str, entry: dict):
    """Notes a job. What `use` has noted of its code stays."""
    known = get(handle, nonce) or {}
    kept = {"code": known["code"]} if "code" in known else {}
    flux.kvs.put(handle, key_of(nonce), {**entry, **kept})
    flux.kvs.commit(handle)


def use(handle: "flux.Flux", nonce: str, code: "str | None") -> bool:
    """The next job with this nonce has this code, or none. False if the archive of the code is missing. When it comes,
    no other FluxJob removes it."""
    entry = get(handle, nonce) or {}
    earlier = entry.pop("code", None)
    if code is None and earlier is None:
        return True
    with codes.locked():
        if earlier is not None and earlier != code:
            codes.leave(handle, earlier, nonce)
        if code is not None:
            codes.join(handle, code, nonce)
            entry["code"] = code
        flux.kvs.put(handle, key_of(nonce), entry)
        flux.kvs.commit(handle)
        return code is None or codes.exists(handle, code)


def remove(handle: "flux.Flux", nonce: str, jobid: "int | None"):
    """Forgets a job and its code, or with None whatever has this nonce. A later job with the same nonce stays."""
    entry = get(handle, nonce)
    if entry is not None and (jobid is None or "id" not in entry or flux.job.JobID(entry["id"]) == jobid):
        with contextlib.ExitStack() as stack:
            if "code" in entry:
                stack.enter_context(codes.locked())
                codes.leave(handle, entry["code"], nonce)
            flux.kvs.put_unlink(handle, key_of(nonce))
            flux.kvs.commit(handle)


def get(handle: "flux.Flux", nonce: str) -> "dict | None":
    try:
        return flux.kvs.get(handle, key_of(nonce))
    except OSError as error:
        if error.errno != errno.ENOENT:
            raise
        return None


def intend(handle: "flux.Flux", nonce: str, name: str):
    """A job is about to be submitted. If its id never follows, `find` looks for it."""
    put(handle, nonce, {"name": name, "since": time.time()})


def begin_array(handle: "flux.Flux", nonce: str) -> float:
    """Elements of an array are about to be submitted. Gives the time before which none of them has ended."""
    entry = get(handle, nonce)
    if entry is None or "array" not in entry:
        # Before the array, the nonce had a job or, in an earlier release, no entry.
        entry = {"array": True, "since": 0 if entry or is_earlier(nonce) else time.time() - 1}
        put(handle, nonce, entry)
    return entry["since"]


def find(handle: "flux.Flux", nonce: str, name: "str | None" = None) -> "int | None":
    """The id of the job with this nonce. With `name`, an earlier release may have submitted it, which kept no index."""
    entry = get(handle, nonce) or ({"name": name, "since": 0} if name else None)
    if entry is None:
        return None
    if "array" in entry:
        raise IsArray
    if "id" in entry:
        return int(flux.job.JobID(entry["id"]))
    return search(handle, nonce, entry["name"], entry["since"])


def search(handle: "flux.Flux", nonce: str, name: str, since: float) -> "int | None":
    """Looks for a job of this name. Times of Flux and of this program are those of one machine."""
    ended_since = max(since - 1, 0)
    listed = flux.job.job_list(handle, max_entries=0, attrs=["t_submit"], name=name, since=ended_since).get_jobs()
    if since > 0:
        # The list is behind: it may lack a job that has just been submitted.
        listed += handle.rpc("job-manager.list", {"max_entries": 0}).get()["jobs"]
    ids = list(dict.fromkeys(job["id"] for job in listed if job.get("t_submit", since) >= since - 1))
    while ids:
        part, ids = ids[:CHUNK], ids[CHUNK:]
        futures = [(jobid, flux.job.job_info_lookup(handle, jobid, keys=["jobspec"])) for jobid in part]
        for jobid, future in futures:
            try:
                if nonce_of(future.get()["jobspec"]) == nonce:
                    return jobid
            except OSError as error:
                # Flux doesn't have the job any more. After any other error, it may be the one.
                if error.errno != errno.ENOENT:
                    raise
    return None


def nonce_of(jobspec: str) -> "str | None":
    return mark_of(jobspec).get("key")


def mark_of(jobspec: str) -> dict:
    """What FluxJob has written into a jobspec."""
    return json.loads(jobspec)["attributes"].get("user", {}).get("minicluster", {})
