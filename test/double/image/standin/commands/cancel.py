"""`flux cancel`. Checked: src/cmd/flux-cancel.py."""

import sys

from standin.client import Client, connect_python
from standin.errors import Refusal, RpcError
from standin.jobid import decode_jobid, encode_f58
from standin.options import Options

OPTIONS = Options(
    "flux-cancel",
    "[-h] [--all] [-n] [-q] [-u USER] [-S STATES] [-m NOTE] [JOBID... ...]",
    "all n/dry-run dry q/quiet S/states= state= m/message= u/user=",
    style="argparse",
    mixed=True,
)
STATES = {
    "PENDING": ("DEPEND", "PRIORITY", "SCHED"),
    "RUNNING": ("RUN", "CLEANUP"),
    "ACTIVE": ("DEPEND", "PRIORITY", "SCHED", "RUN", "CLEANUP"),
}


def matching(client: Client, wanted: list[str]) -> list[int]:
    states = {state for name in wanted or ["ACTIVE"] for state in STATES.get(name.upper(), (name.upper(),))}
    return [job["id"] for job in client.call("job-manager.list", {}, 0)["jobs"] if job["state"] in states]


def main(_name: str, args: list[str]) -> int:
    parsed = OPTIONS.parse(args)
    wanted = [part for name in ("states", "state") for value in parsed.all(name) for part in value.split(",")]
    everything = parsed.has("all") or wanted or parsed.has("user")
    if parsed.rest and everything:
        raise Refusal("flux-cancel: ERROR: Do not specify a list of jobids with --all,--user,--states options")
    if not parsed.rest and not everything:
        raise Refusal("flux-cancel: ERROR: No target jobs were specified")
    client = connect_python("flux-cancel")
    code = 0
    if everything:
        ids = matching(client, wanted)
        dry = parsed.has("dry-run") or parsed.has("dry")
        if not parsed.has("quiet"):
            verb = "Would cancel" if dry else "Canceled"
            print(
                f"flux-cancel: {verb} {len(ids)} job{'s' if len(ids) != 1 else ''} (0 errors)"
                if ids
                else "flux-cancel: Matched 0 jobs",
                file=sys.stderr,
            )
        targets = [] if dry else [(encode_f58(jobid), jobid) for jobid in ids]
    else:
        targets = [(encode_f58(identify(text)), identify(text)) for text in parsed.rest]
    for shown, jobid in targets:
        try:
            client.call(
                "job-manager.raise",
                {"id": jobid, "type": "cancel", "severity": 0, "note": parsed.get("message") or ""},
                0,
            )
        except RpcError as error:
            print(f"flux-cancel: ERROR: {shown}: {error.text}", file=sys.stderr)
            code = 1
    return code


def identify(text: str) -> int:
    try:
        return decode_jobid(text)
    except ValueError:
        raise Refusal(f"flux-cancel: error: argument JOBID...: invalid JobID value: '{text}'", 2) from None
