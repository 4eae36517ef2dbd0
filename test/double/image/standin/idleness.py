"""Clients that wait until no job runs, or until there is no job."""

from .job_record import Job
from .rpc import Request, Switch


class Idleness:
    def __init__(self, switch: Switch, jobs: dict[int, Job]):
        self.jobs = jobs
        self.waiters: list[tuple[Request, bool]] = []
        switch.add("job-manager.idle", self.serve)

    def serve(self, request: Request) -> None:
        """`flux queue idle` waits for the running jobs, `flux queue drain` for all."""
        self.waiters.append((request, bool(request.payload["all"])))
        self.check()

    def check(self) -> None:
        running = sum(job.state in ("RUN", "CLEANUP") for job in self.jobs.values())
        active = sum(job.state != "INACTIVE" for job in self.jobs.values())
        for waiter in list(self.waiters):
            request, everything = waiter
            if (active if everything else running) == 0:
                self.waiters.remove(waiter)
                request.respond({"jobs": active})
