"""`flux jobs`. Checked: src/cmd/flux-jobs.py, src/bindings/python/flux/job/info.py."""

import json
import os
import pwd
import sys
import time

from standin.client import connect_python
from standin.duration import format_duration
from standin.errors import Refusal
from standin.hostlist import decode_hostlist, encode_hostlist
from standin.idset import decode_idset, encode_idset
from standin.jobid import decode_jobid, dothex, encode_f58
from standin.options import Options, Parsed
from standin.table import check_fields, render

OPTIONS = Options(
    "flux-jobs",
    "[-h] [-a] [-A] [-c N] [-f STATE|RESULT] [-n] [-o FORMAT] [JOBID ...]",
    "a A c/count= f/filter= n/no-header suppress-header o/format= name= json u/user= color? i/include=",
    "since= q/queue= sort= w/width? R/recursive L/level= recurse-all threads= stats stats-only from-stdin",
    style="argparse",
    mixed=True,
)

DEFAULT = (
    "{id.f58:>12} ?:{queue:<8.8} {username:<8} {name:<10.10+} {status_abbrev:>2.2} {ntasks:>6} {nnodes:>6h} "
    "{runtime_text:>8h} {info}"
)
HEADINGS = {
    "id": "JOBID",
    "id.f58": "JOBID",
    "id.f58plain": "JOBID",
    "id.dec": "JOBID",
    "id.hex": "JOBID",
    "id.dothex": "JOBID",
    "userid": "UID",
    "username": "USER",
    "urgency": "URG",
    "priority": "PRI",
    "state": "STATE",
    "state_single": "S",
    "status": "STATUS",
    "status_abbrev": "ST",
    "name": "NAME",
    "cwd": "CWD",
    "queue": "QUEUE",
    "ntasks": "NTASKS",
    "ncores": "NCORES",
    "duration": "DURATION",
    "nnodes": "NNODES",
    "ranks": "RANKS",
    "nodelist": "NODELIST",
    "success": "SUCCESS",
    "result": "RESULT",
    "result_abbrev": "RS",
    "returncode": "RC",
    "waitstatus": "WSTATUS",
    "runtime": "RUNTIME",
    "runtime_text": "TIME",
    "t_submit": "T_SUBMIT",
    "t_run": "T_RUN",
    "t_cleanup": "T_CLEANUP",
    "t_inactive": "T_INACTIVE",
    "exception.occurred": "EXCEPTION-OCCURRED",
    "exception.severity": "EXCEPTION-SEVERITY",
    "exception.type": "EXCEPTION-TYPE",
    "exception.note": "EXCEPTION-NOTE",
    "info": "INFO",
    "contextual_info": "INFO",
}
NAMED = {"default": DEFAULT, "long": DEFAULT}
ACTIVE = ("DEPEND", "PRIORITY", "SCHED", "RUN", "CLEANUP")
FILTERS = {
    "pending": ("DEPEND", "PRIORITY", "SCHED"),
    "running": ("RUN", "CLEANUP"),
    "active": ACTIVE,
    "inactive": ("INACTIVE",),
    **{state.lower(): (state,) for state in (*ACTIVE, "INACTIVE")},
}
RESULTS = ("completed", "failed", "canceled", "timeout")
ABBREVIATIONS = {
    "COMPLETED": "CD",
    "FAILED": "F",
    "CANCELED": "CA",
    "TIMEOUT": "TO",
    "SCHED": "S",
    "RUN": "R",
    "DEPEND": "D",
    "PRIORITY": "P",
    "CLEANUP": "C",
    "INACTIVE": "I",
}


def user_name() -> str:
    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return str(os.getuid())


def row_of(job: dict) -> dict:
    """All fields of a job that a format may name."""
    times, exception = job["times"], job["exception"]
    run, clean = times.get("start"), times.get("finish", time.time())
    runtime = max(0.0, clean - run) if run else 0.0
    status = job["result"] or job["state"]
    nnodes = len(job["ranks"]) or job["nnodes_wanted"] or ""
    info = encode_hostlist(job["hosts"])
    return {
        "id": encode_f58(job["id"]),
        "id.f58": encode_f58(job["id"]),
        "id.f58plain": encode_f58(job["id"], "f"),
        "id.dec": job["id"],
        "id.hex": f"0x{job['id']:x}",
        "id.dothex": dothex(job["id"]),
        "userid": os.getuid(),
        "username": user_name(),
        "urgency": job["urgency"],
        "priority": job["urgency"],
        "state": job["state"],
        "state_single": job["state"][0],
        "status": status,
        "status_abbrev": ABBREVIATIONS[status],
        "name": job["name"],
        "cwd": job["cwd"],
        "queue": job["queue"] or "",
        "ntasks": job["ntasks"],
        "ncores": job["ncores"],
        "duration": 0.0,
        "nnodes": nnodes,
        "ranks": encode_idset(job["ranks"], brackets=True),
        "nodelist": info,
        "success": status == "COMPLETED",
        "result": job["result"],
        "result_abbrev": ABBREVIATIONS.get(job["result"], ""),
        "returncode": "" if job["returncode"] is None else job["returncode"],
        "waitstatus": "" if job["returncode"] is None else job["returncode"] << 8,
        "runtime": runtime,
        "runtime_text": runtime_text(runtime) if run else "",
        "t_submit": times.get("submit", 0.0),
        "t_run": run or 0.0,
        "t_cleanup": times.get("finish", 0.0),
        "t_inactive": times.get("clean", 0.0),
        "exception.occurred": bool(exception),
        "exception.severity": exception["severity"] if exception else "",
        "exception.type": exception["type"] if exception else "",
        "exception.note": exception["note"] if exception else "",
        "info": info,
        "contextual_info": info,
    }


def runtime_text(seconds: float) -> str:
    return f"{seconds:.3f}s" if seconds < 10 else format_duration(seconds, 4)


def select(jobs: list[dict], parsed: Parsed) -> list[dict]:
    ids = [identify(text) for text in parsed.rest]
    if ids and (parsed.has("a") or parsed.has("filter")):
        print("flux-jobs: WARNING: Filtering options ignored with jobid list", file=sys.stderr)
    if ids:
        return [job for wanted in ids for job in jobs if job["id"] == wanted]
    names = [part.lower() for value in parsed.all("filter") for part in value.split(",")]
    for name in names:
        if name not in FILTERS and name not in RESULTS:
            raise Refusal(f"flux-jobs: ERROR: Invalid filter specified: {name}")
    if parsed.has("a") and not names:
        names = ["active", "inactive"]
    elif parsed.has("a"):
        print("flux-jobs: WARNING: Both -a and --filter specified, ignoring -a", file=sys.stderr)
    names = names or ["active"]
    states = {state for name in names for state in FILTERS.get(name, ())}
    chosen = [j for j in jobs if j["state"] in states or j["result"].lower() in names]
    if parsed.has("name"):
        chosen = [job for job in chosen if job["name"] == parsed.get("name")]
    if parsed.has("include"):
        chosen = [job for job in chosen if touches(job, parsed.get("include") or "")]
    return sorted(chosen, key=lambda job: job["id"], reverse=True)


def touches(job: dict, targets: str) -> bool:
    """True if the job has one of these ranks or hosts."""
    try:
        return bool(set(job["ranks"]) & set(decode_idset(targets)))
    except ValueError:
        return bool(set(job["hosts"]) & set(decode_hostlist(targets)))


def identify(text: str) -> int:
    try:
        return decode_jobid(text)
    except ValueError:
        raise Refusal(f"flux-jobs: error: argument JOBID: invalid JobID value: '{text}'", 2) from None


def main(_name: str, args: list[str]) -> int:
    parsed = OPTIONS.parse(args)
    text = parsed.get("format") or "default"
    text = NAMED.get(text, text)
    check_fields("flux-jobs", text, HEADINGS)
    found = connect_python("flux-jobs").call("job-manager.list", {}, 0)["jobs"]
    known = {job["id"] for job in found}
    for name in parsed.rest:
        if identify(name) not in known:
            print(f"flux-jobs: ERROR: JobID {name} unknown", file=sys.stderr)
    jobs = select(found, parsed)
    count = int(parsed.get("count") or 1000) or len(jobs)
    rows = [row_of(job) for job in jobs[:count]]
    if parsed.has("json"):
        print(json.dumps({"jobs": rows}))
        return 0
    header = not (parsed.has("no-header") or parsed.has("suppress-header"))
    for line in render(text, HEADINGS, rows, header):
        print(line)
    if len(jobs) > count:
        print(
            f"warning: output truncated at {count} jobs.\nUse --count to increase returned results or use filters"
            " to alter results.",
            file=sys.stderr,
        )
    return 0
