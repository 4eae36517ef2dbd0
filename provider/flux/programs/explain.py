"""Finds out why a job waits, or how it has ended: `ID BYTES` prints one JSON object, whose fields are in
cli/explain/facts.ts. Its text follows that of joboutput.py.

The commands run at the same time, because the user waits. A fact that Flux doesn't tell is left out."""

import ast
import json
import subprocess
import sys

import flux.job
import joboutput

# Jobs of each kind that are listed.
MOST = "1000"
TAB = "\t"


def start(*words: str) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        ["flux", *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )


def lines(process: "subprocess.Popen[bytes]") -> "list[str] | None":
    out, _ = process.communicate()
    return out.decode("utf-8", "replace").split("\n")[:-1] if process.returncode == 0 else None


def rows(process: "subprocess.Popen[bytes]", fields: int) -> "list[list[str]] | None":
    """The fields of each line. The last one may contain tabs, or is quoted because it may contain line feeds too."""
    found = lines(process)
    return None if found is None else [unquoted(line.split(TAB, fields - 1)) for line in found if TAB in line]


def unquoted(row: "list[str]") -> "list[str]":
    is_quoted = len(row[-1]) > 1 and row[-1][0] in "'\"" and row[-1][-1] == row[-1][0]
    return [*row[:-1], ast.literal_eval(row[-1])] if is_quoted else row


def jobs(states: str, *fields: str) -> "subprocess.Popen[bytes]":
    form = TAB.join(f"{{{field}}}" for field in fields)
    return start("jobs", "-A", f"--filter={states}", f"--count={MOST}", "--no-header", f"--format={form}")


def events_of(jobid: str) -> "list[dict]":
    return joboutput.events_in(joboutput.run("job", "eventlog", "--format=json", jobid).decode("utf-8", "replace"))


def wish_of(jobid: str) -> dict:
    """What the job asks for. Its command and environment are left out, which may be large."""
    spec = json.loads(joboutput.run("job", "info", jobid, "jobspec"))
    system = spec.get("attributes", {}).get("system", {})
    kept = ("constraints", "duration", "queue")
    # Flux lists a job without a name by the name of its program.
    program = spec["tasks"][0]["command"][0].rpartition("/")[2]
    name = system.get("job", {}).get("name", program)
    return {"resources": spec["resources"], "name": name, **{key: system[key] for key in kept if key in system}}


def situation_of(queue: str) -> dict:
    """What decides when a job starts."""
    asked = {
        "queue": start("queue", "status", *([f"--queue={queue}"] if queue else [])),
        "nodes": start(
            "resource",
            "list",
            "--no-header",
            "--states=all,up,down,allocated,free",
            "--format={state}\t{nnodes}\t{ncores}\t{ngpus}\t{ranks}",
        ),
        "drained": start("resource", "status", "--no-header", "--states=drain", "--format={ranks}\t{reason}"),
        "running": jobs("running", "id.f58plain", "nnodes", "ncores", "ranks", "runtime", "name!a"),
        "waiting": jobs("sched", "id.dec", "id.f58plain", "priority", "name!a"),
    }
    fields = {"nodes": 5, "drained": 2, "running": 6, "waiting": 4}
    found = {name: rows(process, fields[name]) for name, process in asked.items() if name in fields}
    return {**found, "queue": lines(asked["queue"])}


def end_of(jobid: int, most: int) -> "dict[str, str]":
    try:
        return {"output": joboutput.read_end(jobid, most).decode("utf-8", "replace")}
    except joboutput.Unreadable as error:
        return {"unreadable": str(error)}


def main():
    jobid, most = int(flux.job.JobID(sys.argv[1])), int(sys.argv[2])
    name = str(flux.job.JobID(jobid).f58plain)
    events = events_of(name)
    seen = {event["name"] for event in events}
    wish = wish_of(name)
    facts = {"jobId": name, "id": str(jobid), "events": events, "wish": wish}
    if "clean" in seen:
        facts.update(end_of(jobid, most))
    elif "alloc" not in seen:
        facts.update(situation_of(wish.get("queue", "")))
    print(json.dumps(facts))


main()
