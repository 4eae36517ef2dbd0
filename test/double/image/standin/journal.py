"""The journal of all jobs' events. Checked: src/modules/job-manager/journal.c."""

from .job_record import Job
from .jobspec import canonical
from .resources import encode_resources
from .rpc import Request, Switch

# FLUX_JOBID_ANY: the response after which the events are new ones.
ANY = -1


class Journal:
    """Clients that get each event of each job, until they or the broker end."""

    def __init__(self, switch: Switch, jobs: dict[int, Job]):
        self.jobs = jobs
        self.listeners: list[Request] = []
        switch.add("job-manager.events-journal", self.serve)

    def serve(self, request: Request) -> None:
        for job in self.jobs.values():
            if job.state != "INACTIVE" or request.payload.get("full"):
                request.respond({"id": job.id, "events": events_of(job), **described(job)}, more=True)
        request.respond({"id": ANY, "events": []}, more=True)
        self.listeners.append(request)
        request.on_cancel = lambda: self.listeners.remove(request)

    def tell(self, job: Job, event: dict) -> None:
        for listener in self.listeners:
            listener.respond({"id": job.id, "events": [entry_of(event)]}, more=True)


def described(job: Job) -> dict:
    """The jobspec without its environment, and the resources of a job that has had any."""
    spec = canonical(job.spec)
    spec["attributes"]["system"].pop("environment", None)
    return {"jobspec": spec, **({"R": encode_resources(job.nodes)} if job.nodes else {})}


def events_of(job: Job) -> list[dict]:
    return [entry_of(record) for record in job.records if "event" in record]


def entry_of(event: dict) -> dict:
    """An entry of an event log of RFC 18."""
    return {"timestamp": event["timestamp"], "name": event["event"], "context": event["context"]}
