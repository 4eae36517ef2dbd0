"""The data of a job. Checked: src/modules/job-manager/job.c, src/bindings/python/flux/job/info.py."""

from collections.abc import Callable
from dataclasses import dataclass, field

from .inventory import Wanted
from .resources import Node


@dataclass
class Job:
    """A job with its events and output."""

    id: int
    spec: dict
    urgency: int
    waitable: bool
    state: str = "DEPEND"
    records: list[dict] = field(default_factory=list)
    nodes: list[Node] = field(default_factory=list)
    codes: dict[int, int] = field(default_factory=dict)
    pending_ranks: set[int] = field(default_factory=set)
    watchers: list[Callable[[dict], None]] = field(default_factory=list)
    exception: dict | None = None
    status: int | None = None
    started: bool = False
    ending: bool = False
    hangs: bool = False
    times: dict[str, float] = field(default_factory=dict)
    layout: dict[int, list[int]] = field(default_factory=dict)
    # The files that the first shell has chosen for the output of all tasks.
    output: dict = field(default_factory=dict)
    # The jobs that must end first: [scheme, id, description].
    waits: list[list] = field(default_factory=list)

    @property
    def wanted(self) -> Wanted:
        w = self.spec["wanted"]
        return Wanted(w["nodes"], w["slots"], w["cores"], w["gpus"], w["exclusive"], w["constraint"])

    def result(self) -> str:
        if self.state != "INACTIVE":
            return ""
        if self.exception and self.exception["type"] in ("cancel", "timeout"):
            return "CANCELED" if self.exception["type"] == "cancel" else "TIMEOUT"
        return "COMPLETED" if self.status == 0 and not self.exception else "FAILED"


def wait_status(code: int) -> int:
    """The wait status of a job shell. A shell exits with 128 + n if signal n ended its task."""
    return code << 8


def lay_out(job: Job, nodes: list[Node]) -> dict[int, list[int]]:
    """The task ranks on each node. A node gets as many tasks as it has slots, or the given number."""
    total = job.spec["ntasks"]
    per_node = job.spec.get("tasks_per_node")
    layout: dict[int, list[int]] = {}
    first = 0
    for index, node in enumerate(nodes):
        if per_node:
            count = per_node
        elif job.spec["wanted"]["nodes"]:
            count = total // len(nodes) + (1 if index < total % len(nodes) else 0)
        else:
            count = min(len(node.cores) // max(1, job.spec["wanted"]["cores"]), total - first)
        layout[node.rank] = list(range(first, first + count))
        first += count
    job.spec["ntasks"] = first
    return layout
