"""Words for users about a step of the rule."""

from elastic_flux import State
from elastic_rule import Step


def count(number: int, what: str):
    return f"{number} {what}{'' if number == 1 else 's'}"


def explain(state: State, step: Step):
    """Why the cluster wants this many ranks, in words for users."""
    reasons = []
    if state.waiting:
        reasons.append(f"{count(state.waiting, 'job')} pending")
    if state.running > 0:
        reasons.append(f"{count(state.running, 'job')} running")
    if state.held:
        reasons.append(f"{count(state.held, 'job')} held or in a stopped queue")
    for job in state.unreadable[:1]:
        reasons.append(f"the request of job {job} can't be read, so no rank is added for it")
    for job, request in step.impossible[:1]:
        wanted = "{} with {}".format(
            count(request.nodes, "node") if request.nodes else count(request.slots, "slot"),
            count(request.cores, "core") + (", " + count(request.gpus, "GPU") if request.gpus else ""),
        )
        reasons.append(f"job {job} never fits: it needs {wanted}, more than maxSize ranks have")
    return ", ".join(reasons) or "no jobs"
