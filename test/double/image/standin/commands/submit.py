"""`flux submit`: submit a job, or several with --cc, and print their ids. Checked: cli/submit.py."""

import copy
import json

from standin.attach import Attachment
from standin.client import connect_python
from standin.commands.run import submit
from standin.errors import Refusal
from standin.idset import decode_idset
from standin.jobid import encode_f58
from standin.jobspec import canonical, make_jobspec, submit_options

OPTIONS = submit_options("flux submit", "cc= bcc= wait watch", "wait-event= log= log-stderr= progress jps")


def copies(cc: str | None, bcc: str | None) -> list[int | None]:
    if cc and bcc:
        raise Refusal("flux-submit: ERROR: specify only one of --cc or --bcc")
    return [*decode_idset(cc or bcc or "")] if cc or bcc else [None]


def fill_in(value, number: int):
    if isinstance(value, str):
        return value.replace("{cc}", str(number))
    return [fill_in(item, number) for item in value] if isinstance(value, list) else value


def main(_name: str, args: list[str]) -> int:
    parsed = OPTIONS.parse(args)
    spec = make_jobspec("flux submit", parsed)
    if parsed.has("dry-run"):
        print(json.dumps(canonical(spec)))
        return 0
    client = connect_python("flux-submit")
    ids = []
    for number in copies(parsed.get("cc"), parsed.get("bcc")):
        one = copy.deepcopy(spec)
        if number is not None:
            one["command"] = fill_in(one["command"], number)
            if parsed.has("cc"):
                one["env"]["FLUX_JOB_CC"] = str(number)
        ids.append(submit(client, "flux-submit", parsed, one))
        if not parsed.has("quiet"):
            print(encode_f58(ids[-1]), flush=True)
    if not (parsed.has("wait") or parsed.has("watch")):
        return 0
    codes = [Attachment(client, jobid, parsed.has("label-io"), read_input=False).follow() for jobid in ids]
    return max(codes)
