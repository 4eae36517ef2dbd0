"""The calls of FluxSubmission for an array on rank 0: submit, watch, logs, remove.

job.sh runs this program with `flux python`, whose bindings send the requests of many elements at once. It reads a
request as JSON from standard input and prints an answer as JSON. Each call is short and may be repeated, until nothing
is left to do. Flux' own records say which elements exist; the file in the run folder only spares lookups."""

import collections.abc
import concurrent.futures
import contextlib
import errno
import fcntl
import json
import os
import sys
import time

import flux
import flux.constants
import flux.job
import index as nonces
import joboutput
from flux_sets import numbers_in
from protocol import SUBMISSION_SECONDS

ATTRIBUTES = [
    "exception_note",
    "exception_occurred",
    "exception_severity",
    "exception_type",
    "result",
    "state",
    "waitstatus",
]
INACTIVE = flux.constants.FLUX_JOB_STATE_INACTIVE
RUNNING = flux.constants.FLUX_JOB_STATE_RUNNING
COMPLETED = flux.constants.FLUX_JOB_RESULT_COMPLETED

# Elements that the first call submits, those that wait for Flux' answer at a time, and jobs that are removed at a time.
CHUNK = 1000
# Seconds of one call that removes jobs.
REMOVAL = 20
# The pause between two lists of jobs, in seconds, and as a multiple of the time that a list takes.
PAUSE, SHARE = 0.2, 10
# The longest pause before the expected end of the elements, in seconds.
LONGEST = 1
# Processes that read logs at the same time.
READERS = 4
# job.sh puts it behind each brace of a command, and task.sh removes it.
MARK = "\001"


class Array:
    """The jobs that have the key of one FluxTicket."""

    def __init__(self, request: dict, folder: str):
        self.handle = flux.Flux()
        self.request = request
        self.path = os.path.join(folder, request["key"] + ".elements")
        self.secrets = os.path.join(folder, request["key"] + ".env")
        self.lock = os.path.join(folder, request["key"] + ".lock")
        # Job ids are unique while a broker runs.
        self.broker = self.handle.attr_get("broker.starttime")
        self.known = self.recall()
        # A list has no jobs that had ended before.
        self.since = (nonces.get(self.handle, request["key"]) or {}).get("since", 0)
        # The index and the hash of each job that was removed from Flux' history, but not by this program.
        self.forgotten: list[list] = []

    def recall(self) -> dict:
        try:
            with open(self.path, encoding="utf-8") as file:
                kept = json.load(file)
        except (OSError, ValueError):
            return {}
        return kept["jobs"] if kept["broker"] == self.broker else {}

    def remember(self):
        draft = f"{self.path}.{os.getpid()}"
        with open(draft, "w", encoding="utf-8") as file:
            json.dump({"broker": self.broker, "jobs": self.known}, file)
        os.replace(draft, self.path)

    def jobs(self) -> "list[dict]":
        """The jobs with the key, the oldest first. Each has its index, and the hash of its content."""
        name, since = self.request["name"], self.since
        found = flux.job.job_list(self.handle, max_entries=0, attrs=ATTRIBUTES, name=name, since=since).get_jobs()
        listed = {job["id"] for job in found}
        found += self.find([int(name) for name, mark in self.known.items() if mark and int(name) not in listed])
        self.look_up([jobid for jobid in listed if str(jobid) not in self.known])
        mine = []
        for job in found:
            mark = self.known.get(str(job["id"]))
            if mark:
                job["index"], job["hash"] = mark
                mine.append(job)
        return sorted(mine, key=lambda job: job["id"])

    def find(self, ids: "list[int]") -> "list[dict]":
        """Jobs that Flux doesn't list: it lists a new job a moment after its submission, and forgets a removed one."""
        found: list[dict] = []

        def keep(future: "flux.job.JobListIdRPC", jobid: int):
            try:
                found.append(future.get_job())
            except OSError as error:
                refuse_unless_unknown(error)
                mark = self.known.pop(str(jobid), None)
                if mark:
                    self.forgotten.append(mark)

        for jobid in ids:
            flux.job.job_list_id(self.handle, jobid, attrs=ATTRIBUTES).then(keep, jobid)
        if ids:
            self.handle.reactor_run()
        return found

    def look_up(self, ids: "list[int]"):
        """Reads the index and the hash of jobs. A job of another FluxTicket has the same name, but no mark here."""

        def keep(future: "flux.Future", jobid: int):
            try:
                mark = nonces.mark_of(future.get()["jobspec"])
            except OSError as error:
                refuse_unless_unknown(error)
                return
            mine = mark.get("key") == self.request["key"]
            self.known[str(jobid)] = [mark.get("index"), mark.get("hash")] if mine else None

        for jobid in ids:
            flux.job.job_info_lookup(self.handle, jobid, keys=["jobspec"]).then(keep, jobid)
        if ids:
            self.handle.reactor_run()
            self.remember()

    def elements(self) -> "dict[int, dict]":
        """The job of each index. A job that was submitted twice counts once: submit removes the second."""
        elements: dict[int, dict] = {}
        for job in self.jobs():
            if job["index"] is not None:
                elements.setdefault(job["index"], job)
        return elements


def refuse_unless_unknown(error: OSError):
    """Ends the call if it isn't known whether Flux has a job: an element that counts as missing is submitted again."""
    if error.errno != errno.ENOENT:
        raise error


def is_over(job: dict) -> bool:
    return job["state"] == INACTIVE


def is_running(job: dict) -> bool:
    return job["state"] & RUNNING != 0


def has_failed(job: dict) -> bool:
    return is_over(job) and job["result"] != COMPLETED


def submit(array: Array) -> dict:
    """Removes jobs with another content, and failed ones if asked to; then submits the next wanted elements that Flux
    doesn't have. Submits nothing if Flux has forgotten elements since an earlier call of the same update: it would
    forget them again. Leaves jobs with another content alone if they run and may not be cancelled."""
    request = array.request
    array.since = nonces.begin_array(array.handle, request["key"])
    wanted = numbers_in(request["indexes"])
    elements: dict[int, int] = {}
    others: list[dict] = []
    unwanted: list[dict] = []
    for job in array.jobs():
        index = job["index"]
        runs_again = request["rerun"] and index in wanted and has_failed(job)
        if index is None or job["hash"] != request["hash"]:
            others.append(job)
        elif index in elements or runs_again:
            unwanted.append(job)
        else:
            elements[index] = job["id"]
    busy = sum(map(is_running, others)) if request["refuse"] else 0
    if busy > 0:
        return {"remaining": len(wanted), "busy": busy}
    unwanted += others
    left = remove_jobs(array, unwanted) if unwanted else 0
    lost = {index for index, mark in array.forgotten if mark == request["hash"] and index in wanted} - elements.keys()
    forgotten = len(lost) if request["begun"] else 0
    if left > 0 or forgotten > 0:
        array.remember()
        return {"remaining": len(wanted), "left": left, "forgotten": forgotten}
    code = request["template"]["attributes"]["user"]["minicluster"].get("code")
    if wanted - elements.keys() and not nonces.use(array.handle, request["key"], code):
        if not elements:
            # job.sh has written them for the elements, and the update may fail before it sends the code.
            with contextlib.suppress(FileNotFoundError):
                os.remove(array.secrets)
        return {"remaining": len(wanted), "lacksCode": True}
    template = json.dumps(request["template"])
    errors: list[dict] = []

    def submitted(future: "flux.job.SubmitFuture", index: int):
        try:
            jobid = int(future.get_id())
        except OSError as error:
            errors.append({"index": index, "text": error.strerror or str(error)})
            return
        elements[index] = jobid
        array.known[str(jobid)] = [index, request["hash"]]
        submit_next()

    missing = [index for index in sorted(wanted, reverse=True) if index not in elements]
    if not request["begun"]:
        # The first call of an update is short: the state then knows the array, and Ctrl-C loses nothing.
        missing = missing[-CHUNK:]
    deadline = time.monotonic() + SUBMISSION_SECONDS

    def submit_next():
        if not missing or errors or time.monotonic() >= deadline:
            return
        index = missing.pop()
        spec = fill(json.loads(template), index, request["values"])
        flux.job.submit_async(array.handle, json.dumps(spec), urgency=request["urgency"]).then(submitted, index)

    if missing:
        for _ in range(CHUNK):
            submit_next()
        array.handle.reactor_run()
        array.remember()
    error = min(errors, key=lambda error: error["index"]) if errors else None
    answer = {"found": len(elements), "remaining": len(wanted - elements.keys()), "error": error}
    return {**answer, **identify(elements, request["listed"])}


def format_idset(indexes: "collections.abc.Iterable[int]") -> str:
    ranges: list[list[int]] = []
    for index in sorted(indexes):
        if ranges and ranges[-1][1] == index - 1:
            ranges[-1][1] = index
        else:
            ranges.append([index, index])
    return ",".join(f"{first}" if first == last else f"{first}-{last}" for first, last in ranges)


def fill(spec: dict, index: int, values: "list[str] | None") -> dict:
    """The jobspec of one element."""
    tags = {"index": str(index)}
    system = spec["attributes"]["system"]
    system["environment"]["FLUX_JOB_CC"] = str(index)
    if values is not None:
        tags["value"] = system["environment"]["FLUXJOB_VALUE"] = values[index]
    spec["attributes"]["user"]["minicluster"]["index"] = index
    for task in spec["tasks"]:
        task["command"] = [fill_word(word, tags) for word in task["command"]]
    options = system["shell"]["options"]
    for name in ("input", "output"):
        if name in options:
            options[name] = fill_paths(options[name], tags)
    return spec


def fill_word(word: str, tags: "dict[str, str]") -> str:
    brace = "{" + MARK
    for name, value in tags.items():
        word = word.replace(brace + brace + name + "}}", value.replace("{", brace))
    return word


def fill_paths(option: object, tags: "dict[str, str]") -> object:
    if isinstance(option, dict):
        return {name: fill_paths(part, tags) for name, part in option.items()}
    if isinstance(option, str):
        for name, value in tags.items():
            option = option.replace("{{" + name + "}}", value)
    return option


def identify(elements: "dict[int, int]", most: int) -> dict:
    """The id of the first element, and all ids of a small array, by the ids of the elements."""
    names = {index: flux.job.JobID(jobid).f58plain for index, jobid in elements.items() if index == 0 or index < most}
    return {"jobId": names.get(0), "jobIds": [names[index] for index in sorted(names)]}


def watch(array: Array) -> dict:
    """Waits until all elements have ended, at most so many seconds. Lists take time from the elements, so there are few
    until the end is near."""
    start = time.monotonic()
    deadline = start + array.request["seconds"]
    first = None
    while True:
        begin = time.monotonic()
        elements = array.elements()
        now = time.monotonic()
        left = len(elements) - sum(map(is_over, elements.values()))
        if left == 0:
            forget_secrets(array)
        if left == 0 or now >= deadline:
            return describe(elements, array.request)
        first = left if first is None else first
        ended = first - left
        expected = left * (now - start) / ended if ended > 0 else 0
        time.sleep(min(deadline - now, max(PAUSE, SHARE * (now - begin), min(LONGEST, expected / 2))))


def forget_secrets(array: Array):
    """Removes the secrets of an array whose elements have ended, unless another call submits elements now."""
    if not os.path.exists(array.secrets):
        return
    with open(array.lock, "w", encoding="utf-8") as lock, contextlib.suppress(OSError):
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if all(map(is_over, array.elements().values())):
            os.remove(array.secrets)


def describe(elements: "dict[int, dict]", request: dict) -> dict:
    over = [job for job in elements.values() if is_over(job)]
    failed = sorted((job for job in over if has_failed(job)), key=lambda job: job["index"])
    running = sum(map(is_running, elements.values()))
    unfinished = [index for index, job in elements.items() if not is_over(job)]
    return {
        "found": len(elements),
        "running": running,
        "pending": len(elements) - len(over) - running,
        "succeeded": len(over) - len(failed),
        "failed": len(failed),
        # Wait statuses of tasks. There are at most 256 different ones.
        "statuses": sorted({job["waitstatus"] for job in over if "waitstatus" in job}),
        "failedIndexes": format_idset(job["index"] for job in failed),
        "unfinishedIndexes": format_idset(unfinished),
        "missingIndexes": format_idset(set(range(request["count"])) - elements.keys()),
        "failures": [describe_failure(job) for job in failed[: request["failures"]]],
        **identify({index: job["id"] for index, job in elements.items()}, request["listed"]),
    }


def describe_failure(job: dict) -> dict:
    fatal = job.get("exception_occurred") and job.get("exception_severity") == 0
    exception = {"type": job["exception_type"], "note": job.get("exception_note", "")} if fatal else None
    jobid = flux.job.JobID(job["id"]).f58plain
    return {"index": job["index"], "jobId": jobid, "status": job.get("waitstatus"), "exception": exception}


def logs(array: Array) -> dict:
    """The ends of the logs of the first failures, and of all elements of a small array."""
    request, elements = array.request, array.elements()
    failed = [index for index in sorted(elements) if has_failed(elements[index])][: request["failures"]]
    shown = sorted(elements) if request["count"] <= request["listed"] else []
    if request["maxBytes"] == 0:
        failed, shown = [], []
    texts = read_logs([elements[index]["id"] for index in failed], request["failureBytes"])
    return {
        "failures": {str(index): text for index, text in zip(failed, texts)},
        "output": join_logs(elements, shown, request["maxBytes"]),
    }


def join_logs(elements: "dict[int, dict]", indexes: "list[int]", most: int) -> str:
    """The end of all logs, each line of which has its index. Begins with the last logs, and ends when they suffice."""
    left, text = list(indexes), ""
    while left and len(text) < most:
        part = left[-READERS:]
        del left[-READERS:]
        texts = read_logs([elements[index]["id"] for index in part], most)
        lines = [f"{index}: {line}\n" for index, log in zip(part, texts) for line in log.splitlines()]
        text = tail("".join(lines) + text, most)
    return text


def read_logs(ids: "list[int]", most: int) -> "list[str]":
    with concurrent.futures.ThreadPoolExecutor(READERS) as readers:
        return list(readers.map(lambda jobid: read_log(jobid, most), ids))


def read_log(jobid: int, most: int) -> str:
    """The last bytes of a log."""
    try:
        end = joboutput.read_end(jobid, most)
    except joboutput.Unreadable as error:
        # Fails if the broker doesn't answer. Then the call is repeated.
        flux.Flux()
        return f"(the output of job {flux.job.JobID(jobid).f58plain} can't be read: {error})\n"
    # The first bytes may be the rest of a character.
    return tail(end.decode("utf-8", "replace").lstrip("\ufffd"), most)


def tail(text: str, most: int) -> str:
    return text.encode("utf-8", "replace")[-most:].decode("utf-8", "ignore") if most > 0 else ""


def remove(array: Array) -> dict:
    """Cancels the jobs and removes them from Flux' history. Tells how many are left. Cancels none if one runs and none
    that runs may be cancelled."""
    jobs = array.jobs()
    busy = sum(map(is_running, jobs)) if array.request["refuse"] else 0
    if busy > 0:
        return {"busy": busy, "left": len(jobs)}
    left = remove_jobs(array, jobs)
    for path in (array.secrets, array.path) if left == 0 else ():
        with contextlib.suppress(FileNotFoundError):
            os.remove(path)
    if left == 0:
        nonces.remove(array.handle, array.request["key"], None)
    return {"busy": 0, "left": left}


def remove_jobs(array: Array, jobs: "list[dict]") -> int:
    """Removes jobs for some seconds, and returns how many are left. Cancels the newest first, so that no job starts in
    the place of another one."""
    wanted = {job["id"] for job in jobs}
    cancels = (flux.job.cancel_async(array.handle, job["id"]) for job in reversed(jobs) if not is_over(job))
    request_each(array, cancels, (errno.ENOENT, errno.EINVAL))
    deadline = time.monotonic() + REMOVAL
    while True:
        begin = time.monotonic()
        left = [job for job in array.jobs() if job["id"] in wanted]
        listing = time.monotonic() - begin
        over = [job["id"] for job in left if is_over(job)][:CHUNK]
        purges = (array.handle.rpc("job-manager.purge-id", {"id": one, "force": 1}) for one in over)
        request_each(array, purges, (errno.ENOENT,))
        for jobid in over:
            array.known.pop(str(jobid), None)
            wanted.remove(jobid)
        now = time.monotonic()
        if len(left) == len(over) or now >= deadline:
            return len(left) - len(over)
        if not over:
            time.sleep(min(deadline - now, max(PAUSE, SHARE * listing)))


def request_each(array: Array, futures: "collections.abc.Iterable[flux.Future]", harmless: "tuple[int, ...]"):
    """Waits for many answers. A job that has ended, or is gone, may need none any more: Flux' error is harmless."""

    def take(future: "flux.Future"):
        try:
            future.get()
        except OSError as error:
            if error.errno not in harmless:
                raise

    if [future.then(take) for future in futures]:
        array.handle.reactor_run()


def main():
    request = json.load(sys.stdin)
    try:
        answer = {"submit": submit, "watch": watch, "logs": logs, "remove": remove}[request["call"]](
            Array(request, sys.argv[1])
        )
    except OSError as error:
        sys.exit(f"flux-array: ERROR: {error}")
    print(json.dumps(answer))


main()
