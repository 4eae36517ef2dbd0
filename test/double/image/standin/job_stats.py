"""The numbers of jobs by state and by result. Checked: src/modules/job-list/stats.c."""

from .job_record import Job
from .rpc import Request, Switch

RESULTS = {"successful": "COMPLETED", "failed": "FAILED", "canceled": "CANCELED", "timeout": "TIMEOUT"}
STATES = ("DEPEND", "PRIORITY", "SCHED", "RUN", "CLEANUP", "INACTIVE")


class JobStats:
    def __init__(self, switch: Switch, jobs: dict[int, Job]):
        self.jobs = jobs
        switch.add("job-list.job-stats", self.serve)

    def serve(self, request: Request) -> None:
        """Without the numbers of each queue, and of jobs that were purged."""
        jobs = self.jobs.values()
        states = {state.lower(): sum(job.state == state for job in jobs) for state in STATES}
        results = {key: sum(job.result() == result for job in jobs) for key, result in RESULTS.items()}
        request.respond({"job_states": {"total": len(jobs), **states}, **results, "inactive_purged": 0})
