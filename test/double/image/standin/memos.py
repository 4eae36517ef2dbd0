"""Memos of users in the events of their jobs. Checked: src/modules/job-manager/annotate.c."""

import errno
from collections.abc import Callable

from .errors import RpcError
from .job_record import Job
from .rpc import Request, Switch


def serve_memos(switch: Switch, jobs: dict[int, Job], post: Callable[[Job, str, dict], None]) -> None:
    def serve(request: Request) -> None:
        job = jobs.get(request.payload["id"])
        if job is None or job.state == "INACTIVE":
            raise RpcError(errno.ENOENT, "job is inactive" if job else "unknown job id")
        post(job, "memo", request.payload["memo"])
        request.respond()

    switch.add("job-manager.memo", serve)
