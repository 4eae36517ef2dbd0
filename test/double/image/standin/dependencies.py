"""Dependencies of a job on other jobs. Checked: src/modules/job-manager/plugins/dependency-after.c,
src/bindings/python/flux/cli/base.py (URIArg)."""

import errno

from .errors import Refusal, RpcError
from .job_record import Job
from .jobid import decode_jobid
from .options import NOT_IMPLEMENTED

DESCRIPTIONS = {"afterany": "after-finish", "afterok": "after-success", "afternotok": "after-failure"}
ABSENT = ("after", "afterstart", "afterexcept", "begin-time", "singleton", "string", "fluid")


def parse_dependencies(uris: list[str]) -> list[dict]:
    return [parse_dependency(uri) for uri in uris]


def parse_dependency(uri: str) -> dict:
    scheme, _, value = uri.partition(":")
    if scheme in ABSENT:
        raise Refusal(
            f"flux: stand-in: the dependency '{uri}' may exist in flux-core but is not implemented here",
            NOT_IMPLEMENTED,
        )
    if not scheme:
        raise ValueError(f'Invalid dependency URI "{uri}"')
    return {"scheme": scheme, "value": value}


def find_waits(dependencies: list[dict], jobs: dict[int, Job]) -> list[list]:
    """[scheme, id, description] of each dependency. Raises RpcError for one that can't be met any more."""
    return [find_wait(one["scheme"], one["value"], jobs) for one in dependencies]


def find_wait(scheme: str, value: str, jobs: dict[int, Job]) -> list:
    if scheme not in DESCRIPTIONS:
        raise RpcError(errno.EINVAL, f'dependency scheme "{scheme}" not supported')
    try:
        jobid = decode_jobid(value)
    except ValueError:
        raise RpcError(errno.EINVAL, f'dependency: {scheme}: "{value}" is not a valid jobid') from None
    job = jobs.get(jobid)
    if not job:
        raise RpcError(errno.EINVAL, f"dependency: {scheme}: id {value}: job not found")
    problem = refusal(scheme, value, job) if job.state == "INACTIVE" else None
    if problem:
        raise RpcError(errno.EINVAL, problem)
    return [scheme, jobid, f"{DESCRIPTIONS[scheme]}={value}"]


def refusal(scheme: str, value: str, job: Job) -> str | None:
    if scheme != "afterany" and not job.started:
        return f"dependency: after: {value} never started"
    if is_met(scheme, job):
        return None
    return (
        f"dependency: afterok: job {value} failed or was canceled"
        if scheme == "afterok"
        else f"dependency: afternotok: job {value} succeeded"
    )


def is_met(scheme: str, job: Job) -> bool:
    """True if an inactive job has ended as another job requires it."""
    if scheme == "afterany":
        return True
    return job.started and (job.result() == "COMPLETED") == (scheme == "afterok")
