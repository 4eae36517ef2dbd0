"""`flux submit`: submit a job, or several with --cc, and print their ids. Checked: cli/submit.py."""

import copy
import json

from standin.attach import Attachment
from standin.client import connect_python
from standin.commands.run import submit
from standin.idset import decode_idset
from standin.jobid import encode_f58
from standin.jobspec import canonical, fail, make_jobspec, submit_options
from standin.shell_options import is_idset

OPTIONS = submit_options("flux submit", "cc= wait", "bcc= watch wait-event= log= log-stderr= progress jps")


def main(_name: str, args: list[str]) -> int:
    parsed = OPTIONS.parse(args)
    spec = make_jobspec("flux submit", parsed)
    if is_idset(parsed.get("input") or "x"):
        raise fail("flux submit", "per-task input not supported for submit")
    if parsed.has("dry-run"):
        print(json.dumps(canonical(spec)))
        return 0
    client = connect_python("flux-submit")
    ids = []
    cc = parsed.get("cc")
    for number in decode_idset(cc) if cc else [None]:
        one = copy.deepcopy(spec)
        if number is not None:
            one["command"] = [word.replace("{cc}", str(number)) for word in one["command"]]
            one["env"]["FLUX_JOB_CC"] = str(number)
        ids.append(submit(client, "flux-submit", parsed, one))
        if not parsed.has("quiet"):
            print(encode_f58(ids[-1]), flush=True)
    if not parsed.has("wait"):
        return 0
    codes = [Attachment(client, jobid, parsed.has("label-io"), read_input=False).follow() for jobid in ids]
    return max(codes)
