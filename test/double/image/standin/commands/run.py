"""`flux run`: submit a job and follow it. Checked: src/bindings/python/flux/cli/run.py."""

import json
import sys

from standin.attach import Attachment
from standin.client import Client, connect_python
from standin.constraints import check_constraint
from standin.errors import RpcError
from standin.jobid import encode_f58
from standin.jobspec import canonical, fail, is_waitable, make_jobspec, submit_options, urgency
from standin.options import Parsed

OPTIONS = submit_options("flux run", "", "wait-event=")


def submit(client: Client, program: str, parsed: Parsed, spec: dict) -> int:
    """Submits a job and returns its id."""
    constraint = spec["wanted"]["constraint"]
    if constraint:
        try:
            check_constraint(constraint, client.call("resource.status", {}, 0)["hosts"])
        except ValueError as error:
            raise fail(program, str(error)) from None
    try:
        return client.call(
            "job-manager.submit",
            {"spec": spec, "urgency": urgency(parsed, program), "waitable": is_waitable(parsed, program)},
            0,
        )["id"]
    except RpcError as error:
        raise fail(program, error.text) from None


def main(_name: str, args: list[str]) -> int:
    program = "flux run"
    parsed = OPTIONS.parse(args)
    spec = make_jobspec(program, parsed)
    if parsed.has("dry-run") or parsed.has("dry"):
        print(json.dumps(canonical(spec)))
        return 0
    client = connect_python("flux-run")
    jobid = submit(client, "flux-run", parsed, spec)
    verbose = sum(1 for name, _ in parsed.given if name == "verbose")
    if verbose:
        print("jobid:", encode_f58(jobid), file=sys.stderr, flush=True)
    return Attachment(client, jobid, parsed.has("label-io"), show_events=verbose > 1).follow()
