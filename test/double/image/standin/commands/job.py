"""`flux job …`. Checked: src/cmd/job/*.c."""

import json
import signal
import sys
import time
from collections.abc import Callable

from standin.attach import Attachment, report_status
from standin.client import Client, connect
from standin.commands.memo import memo
from standin.duration import parse_duration
from standin.errors import Refusal, RpcError
from standin.jobid import decode_jobid, dothex, encode_f58
from standin.jobspec import canonical
from standin.options import NOT_IMPLEMENTED, Options, Parsed

ABSENT = """hostpids last namespace submit timeleft killall list-inactive list-ids
wait-any cancel cancelall""".split()


def identify(text: str, program: str = "flux-job") -> int:
    try:
        return decode_jobid(text)
    except ValueError:
        raise Refusal(f'{program}: error parsing jobid: "{text}": Invalid argument') from None


def one_id(options: Options, parsed: Parsed) -> int:
    if len(parsed.rest) != 1:
        options.print_usage(sys.stderr)
        raise Refusal("", 1)
    return identify(parsed.rest[0])


ATTACH = Options(
    "flux-job attach",
    "[OPTIONS] JOBID",
    "E/show-events l/label-io q/quiet r/read-only u/unbuffered v/verbose",
    "X/show-exec show-status w/wait-event= i/stdin-ranks= tail? debug debug-emulate",
    mixed=True,
)


def attach(args: list[str]) -> int:
    parsed = ATTACH.parse(args)
    jobid = one_id(ATTACH, parsed)
    try:
        return Attachment(
            connect("flux-job: flux_open"),
            jobid,
            parsed.has("label-io"),
            parsed.has("show-events"),
            not parsed.has("read-only"),
            parsed.has("quiet"),
            parsed.rest[0],
        ).follow()
    except RpcError:
        raise Refusal(f"flux-job: Failed to attach to {parsed.rest[0]}: No such job") from None


STATUS = Options(
    "flux-job status", "[OPTIONS] JOBID [JOBID...]", "v/verbose e/exception-exit-code=", "j/json", mixed=True
)


def wait_for_end(client: Client, jobid: int) -> dict:
    """Waits until the job is inactive, and returns its summary."""
    ended: list[RpcError | None] = []

    def record(payload: dict | None, error: RpcError | None) -> None:
        if error or (payload and "end" in payload):
            ended.append(error)

    client.send("job-manager.watch", {"id": jobid}, record, 0)
    while not ended:
        client.wait()
    if ended[0]:
        raise Refusal(f"flux-job: {encode_f58(jobid)}: No such job")
    return next(job for job in client.call("job-manager.list", {}, 0)["jobs"] if job["id"] == jobid)


def status(args: list[str]) -> int:
    parsed = STATUS.parse(args)
    if not parsed.rest:
        raise Refusal("flux-job: At least one JOBID is required")
    client, codes = connect("flux-job: flux_open"), []
    for text in parsed.rest:
        job = wait_for_end(client, identify(text))
        code = job["returncode"] or 0
        if job["exception"] and not job["ranks"]:
            code = int(parsed.get("exception-exit-code") or 1)
        codes.append(code)
        if parsed.has("verbose") and code:
            how = signal.strsignal(code - 128) if code > 128 else f"exited with exit code {code}"
            print(f"flux-job: {text}: {how}", file=sys.stderr)
    return max(codes)


WAIT = Options("flux-job wait", "[--all] [JOBID]", "a/all v/verbose", mixed=True)


def wait(args: list[str]) -> int:
    parsed = WAIT.parse(args)
    client = connect("flux-job: flux_open")
    if parsed.has("all"):
        waitable = [job["id"] for job in client.call("job-manager.list", {}, 0)["jobs"] if job["waitable"]]
        return max([wait_one(client, jobid, encode_f58(jobid)) for jobid in waitable], default=0)
    if len(parsed.rest) != 1:
        raise Refusal("flux-job: stand-in: `flux job wait` without a job id is not implemented here", NOT_IMPLEMENTED)
    return wait_one(client, identify(parsed.rest[0]), "")


def wait_one(client: Client, jobid: int, name: str) -> int:
    try:
        job = client.call("job-manager.wait", {"id": jobid}, 0)
    except RpcError as error:
        raise Refusal(f"flux-job: {error.text}", 2 if error.errnum == 10 else 1) from None
    if job["result"] == "COMPLETED":
        return 0
    report_status((job["returncode"] or 1) << 8, False)
    return 1


RAISE = Options("flux-job raise", "[OPTIONS] ids... [--] [message ...]", "s/severity= t/type= m/message=", mixed=True)


def split_ids(words: list[str]) -> tuple[dict[str, int], list[str]]:
    """The job ids before the first word that is none, and the words from there on."""
    ids: dict[str, int] = {}
    for place, word in enumerate(words):
        try:
            ids[word] = decode_jobid(word)
        except ValueError:
            return ids, words[place:]
    return ids, []


def ask_each(ids: dict[str, int], verb: str, payload: dict) -> int:
    """Sends the same request for each job. Prints each error, and returns 1 if there was one."""
    client, code = connect("flux-job: flux_open"), 0
    for text, jobid in ids.items():
        try:
            client.call(f"job-manager.{verb}", {"id": jobid, **payload}, 0)
        except RpcError as error:
            print(f"flux-job: {verb} {text}: {error.text}", file=sys.stderr)
            code = 1
    return code


def raise_exception(args: list[str]) -> int:
    parsed = RAISE.parse(args)
    if not parsed.rest:
        RAISE.print_usage(sys.stderr)
        return 1
    ids, words = split_ids(parsed.rest)
    if not ids:
        raise Refusal("flux-job: stand-in: `flux job raise` without a job id is not implemented here", NOT_IMPLEMENTED)
    if words and parsed.has("message"):
        raise Refusal("flux-job: Do not set note on command line and with --message")
    payload = {
        "type": parsed.get("type") or "cancel",
        "severity": int(parsed.get("severity") or 0),
        "note": parsed.get("message") or " ".join(words),
    }
    return ask_each(ids, "raise", payload)


KILL = Options("flux-job kill", "[OPTIONS] ids...", "s/signal=", mixed=True)


def kill(args: list[str]) -> int:
    parsed = KILL.parse(args)
    if not parsed.rest:
        KILL.print_usage(sys.stderr)
        return 1
    ids, words = split_ids(parsed.rest)
    if words:
        raise Refusal(f"flux-job: invalid jobid: {words[0]}")
    name = parsed.get("signal") or "SIGTERM"
    try:
        number = signal.Signals[f"SIG{name.removeprefix('SIG')}"]
    except KeyError:
        raise Refusal(f"flux-job: kill: Invalid signal {name}") from None
    return ask_each(ids, "kill", {"signum": number})


RAISEALL = Options(
    "flux-job raiseall", "OPTIONS type [message...]", "s/severity= u/user= S/states= f/force", mixed=True
)
# src/common/libjob/state.c
STATES = {"DEPEND": 2, "PRIORITY": 4, "SCHED": 8, "RUN": 16, "CLEANUP": 32, "INACTIVE": 64}
STATE_SETS = {
    "PENDING": ("DEPEND", "PRIORITY", "SCHED"),
    "RUNNING": ("RUN", "CLEANUP"),
    "ACTIVE": ("DEPEND", "PRIORITY", "SCHED", "RUN", "CLEANUP"),
}


def chosen_states(text: str) -> list[str]:
    names = [part.strip().upper() for part in text.split(",")]
    for name in names:
        if name not in STATES and name not in STATE_SETS:
            raise Refusal(f"flux-job: error parsing --states: {name.lower()} is unknown")
    return [state for name in names for state in STATE_SETS.get(name, (name,))]


def raiseall(args: list[str]) -> int:
    parsed = RAISEALL.parse(args)
    if not parsed.rest:
        RAISEALL.print_usage(sys.stderr)
        return 1
    kind, *words = parsed.rest
    states = chosen_states(parsed.get("states") or "ACTIVE")
    if "INACTIVE" in states:
        raise Refusal("flux-job: Exceptions cannot be raised on inactive jobs")
    dry_run = not parsed.has("force")
    payload = {
        "states": states,
        "type": kind,
        "severity": int(parsed.get("severity") or 7),
        "note": " ".join(words),
        "dry_run": dry_run,
    }
    count = connect("flux-job: flux_open").call("job-manager.raiseall", payload, 0)["count"]
    if count == 0:
        said = "Command matched 0 jobs"
    elif dry_run:
        said = f"Command matched {count} jobs (-f to confirm)"
    else:
        said = f"Raised exception on {count} jobs (0 errors)"
    print(f"flux-job: {said}", file=sys.stderr)
    return 0


LIST = Options("flux-job list", "[OPTIONS]", "c/count= s/states= u/user= a/all-user A/all", mixed=True)


def list_jobs(args: list[str]) -> int:
    """Prints one JSON object for each job, the newest first."""
    parsed = LIST.parse(args)
    everything = parsed.has("all") or parsed.has("all-user")
    states = [*STATES] if everything else chosen_states(parsed.get("states") or "PENDING,RUNNING")
    found = connect("flux-job: flux_open").call("job-manager.list", {}, 0)["jobs"]
    chosen = sorted((job for job in found if job["state"] in states), key=lambda job: job["id"], reverse=True)
    for job in chosen[: int(parsed.get("count") or 0) or len(chosen)]:
        print(
            json.dumps(
                {
                    "id": job["id"],
                    "name": job["name"],
                    "state": STATES[job["state"]],
                    "ntasks": job["ntasks"],
                    "urgency": job["urgency"],
                }
            )
        )
    return 0


ID = Options("flux-job id", "[OPTIONS] [id ...]", "t/to=", mixed=True)


def convert(args: list[str]) -> int:
    parsed = ID.parse(args)
    forms = {
        "dec": str,
        "hex": lambda n: f"0x{n:x}",
        "dothex": dothex,
        "kvs": lambda n: f"job.{dothex(n)}",
        "f58": encode_f58,
    }
    form = parsed.get("to") or "dec"
    if form not in forms:
        raise Refusal(
            f"flux-job: stand-in: --to={form} may exist in flux-core but is not implemented here", NOT_IMPLEMENTED
        )
    for text in parsed.rest or sys.stdin.read().split():
        print(forms[form](identify(text)))
    return 0


INFO = Options("flux-job info", "id key", "", "o/original b/base", mixed=True)


def info(args: list[str]) -> int:
    """Prints one of the keys `jobspec`, `J`, `R`, `eventlog`, and the start of the shells in `guest.exec.eventlog`."""
    parsed = INFO.parse(args)
    if len(parsed.rest) != 2:
        INFO.print_usage(sys.stderr)
        return 1
    jobid, key = identify(parsed.rest[0]), parsed.rest[1]
    if key.startswith("guest.") and key != "guest.exec.eventlog":
        raise Refusal(
            f"flux-job: stand-in: the key {key} exists in flux-core but is not implemented here", NOT_IMPLEMENTED
        )
    client = connect("flux-job: flux_open")
    try:
        found = client.call("job-manager.info", {"id": jobid}, 0)
    except RpcError:
        raise Refusal(f"flux-job: {key}: No such file or directory") from None
    if key == "eventlog":
        for event in events(client, jobid, None):
            print(event_line(event, "json"))
    elif key == "guest.exec.eventlog" and found["tasks"]:
        context = {"taskmap": {"version": 1, "map": taskmap(found["tasks"])}}
        print(json.dumps({"timestamp": time.time(), "name": "shell.start", "context": context}))
    elif key == "R" and found["ranks"]:
        print(json.dumps(found["R"]))
    elif key in ("jobspec", "J"):
        print(json.dumps(canonical(found["jobspec"])))
    else:
        raise Refusal(f"flux-job: {key}: key not found")
    return 0


def taskmap(hosts: list[tuple[str, list[int]]]) -> list[list[int]]:
    """The blocks of a map of tasks (RFC 34): first node, number of nodes, tasks of each, 1."""
    blocks: list[list[int]] = []
    for node, (_, tasks) in enumerate(hosts):
        if blocks and blocks[-1][2] == len(tasks):
            blocks[-1][1] += 1
        else:
            blocks.append([node, 1, len(tasks), 1])
    return blocks


COMPACT = (",", ":")
EVENTLOG = Options(
    "flux-job eventlog",
    "[-f text|json] JOBID",
    "f/format=",
    "T/time-format= H/human L/color? F/follow p/path=",
    mixed=True,
)
WAIT_EVENT = Options(
    "flux-job wait-event",
    "[-t seconds] JOBID event",
    "t/timeout= q/quiet v/verbose f/format= m/match-context=",
    "T/time-format= H/human c/count= L/color? p/path= W/waitcreate",
    mixed=True,
)


def event_line(event: dict, form: str) -> str:
    if form == "json":
        whole = {"timestamp": event["timestamp"], "name": event["event"], "context": event["context"]}
        return json.dumps(whole, separators=COMPACT, ensure_ascii=False)
    pairs = "".join(f" {key}={json.dumps(value, separators=COMPACT)}" for key, value in event["context"].items())
    return f"{event['timestamp']:.6f} {event['event']}{pairs}"


def eventlog(args: list[str]) -> int:
    parsed = EVENTLOG.parse(args)
    jobid = one_id(EVENTLOG, parsed)
    client = connect("flux-job: flux_open")
    try:
        found = events(client, jobid, None)
    except RpcError:
        raise Refusal(f"flux-job: job {parsed.rest[0]} not found") from None
    for event in found:
        print(event_line(event, parsed.get("format") or "text"))
    return 0


Until = Callable[[dict], bool] | None
Tell = Callable[[dict], None] | None


def events(client: Client, jobid: int, until: Until, timeout: float | None = None, tell: Tell = None) -> list[dict]:
    """The job's events until now. With `until`, waits for an event for which it holds, or for the job's end."""
    found: list[dict] = []
    failure: list[RpcError] = []
    state = {"ended": False}

    def record(payload: dict | None, error: RpcError | None) -> None:
        if error:
            failure.append(error)
        elif payload and "event" in payload:
            if tell and not (until and any(until(event) for event in found)):
                tell(payload)
            found.append(payload)
        elif payload and "end" in payload:
            state["ended"] = True

    client.send("job-manager.watch", {"id": jobid}, record, 0)
    client.call("broker.ping", {}, 0)
    while not failure and not state["ended"] and until and not any(until(event) for event in found):
        if not client.wait(timeout):
            raise RpcError(110, "Connection timed out")
    if failure:
        raise RpcError(2, "job not found")
    return found


def wait_event(args: list[str]) -> int:
    parsed = WAIT_EVENT.parse(args)
    if len(parsed.rest) != 2:
        WAIT_EVENT.print_usage(sys.stderr)
        return 1
    jobid, name = identify(parsed.rest[0]), parsed.rest[1]
    timeout = parse_duration(parsed.get("timeout") or "0") or None
    key, _, value = (parsed.get("match-context") or "").partition("=")

    def is_wanted(event: dict) -> bool:
        return event["event"] == name and (not key or str(event["context"].get(key)) == value)

    def tell(event: dict) -> None:
        if parsed.has("verbose") or (is_wanted(event) and not parsed.has("quiet")):
            print(event_line(event, parsed.get("format") or "text"), flush=True)

    try:
        found = events(connect("flux-job: flux_open"), jobid, is_wanted, timeout, tell)
    except RpcError as error:
        raise Refusal(
            f"flux-job: wait-event {'timeout on event' if error.errnum == 110 else 'failed:'} '{name}'"
        ) from None
    if not any(is_wanted(event) for event in found):
        raise Refusal(f"flux-job: event '{name}' never received")
    return 0


URGENCY = Options("flux-job urgency", "[OPTIONS] JOBID urgency", "v/verbose", mixed=True)


def urgency(args: list[str]) -> int:
    parsed = URGENCY.parse(args)
    if len(parsed.rest) != 2:
        URGENCY.print_usage(sys.stderr)
        return 1
    names = {"hold": 0, "expedite": 31, "default": 16}
    text = parsed.rest[1].lower()
    try:
        connect("flux-job: flux_open").call(
            "job-manager.urgency",
            {"id": identify(parsed.rest[0]), "urgency": names.get(text) if text in names else int(text)},
            0,
        )
    except ValueError:
        raise Refusal("flux-job: invalid urgency") from None
    except RpcError as error:
        raise Refusal(f"flux-job: {parsed.rest[0]}: {error.text}") from None
    return 0


PURGE = Options("flux-job purge", "[--force] JOBID...", "f/force", "age-limit= num-limit= batch=", mixed=True)


def purge(args: list[str]) -> int:
    """Purges jobs by their ids only. Refuses an active job. Without --force it only counts."""
    parsed = PURGE.parse(args)
    if not parsed.rest:
        raise Refusal("flux-job: stand-in: `flux job purge` without a job id is not implemented here", NOT_IMPLEMENTED)
    client, force = connect("flux-job: flux_open"), parsed.has("force")
    try:
        done = [client.call("job-manager.purge-id", {"id": identify(text), "force": force}, 0) for text in parsed.rest]
    except RpcError as error:
        raise Refusal(f"flux-job: purge: {error.text}") from None
    left = done[-1]["inactive"]
    print(
        f"purged {len(done)} inactive jobs, {left} remaining"
        if force
        else f"use --force to purge {len(done)} of {left} inactive jobs"
    )
    return 0


def stats(_: list[str]) -> int:
    print(json.dumps(connect("flux-job: flux_open").call("job-list.job-stats", {}, 0)))
    return 0


COMMANDS = {
    "attach": attach,
    "kill": kill,
    "status": status,
    "wait": wait,
    "raise": raise_exception,
    "raiseall": raiseall,
    "list": list_jobs,
    "id": convert,
    "eventlog": eventlog,
    "info": info,
    "memo": lambda args: memo(args, identify),
    "wait-event": wait_event,
    "urgency": urgency,
    "purge": purge,
    "stats": stats,
}


def main(_name: str, args: list[str]) -> int:
    if args and args[0] in COMMANDS:
        return COMMANDS[args[0]](args[1:])
    if args and args[0] in ABSENT:
        raise Refusal(f"flux-job: stand-in: {args[0]} exists in flux-core but is not implemented here", NOT_IMPLEMENTED)
    print(f"Usage: flux-job [OPTIONS] COMMAND ARGS\n\nCommands: {' '.join(sorted(COMMANDS))}", file=sys.stderr)
    return 0 if args[:1] in (["--help"], ["-h"]) else 1
