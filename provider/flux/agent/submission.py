"""Submits jobs, and finds those that an interrupted update has submitted."""

import contextlib
import errno
import fcntl
import hashlib
import itertools
import os
import shlex
import subprocess
import threading
import typing

import flux
import flux.job
import index
from connection import SHORTAGE, Busy, Failure, Request, end_without_broker, guarded
from jobs import Jobs
from protocol import ARRAY, END_SECONDS, NO_CODE, RUNNING, UNKNOWN_JOB, URGENCY

# Flux' codes for a job that it doesn't accept. After others, it may have the job.
REFUSED = (errno.EINVAL, errno.EPERM)
# What programs print that found no memory or no process; exit codes of bash for a killed one, and if it is killed.
SHORTAGE_WORDS, KILLED = ("MemoryError", *map(os.strerror, SHORTAGE)), (137, -9)


class Submitter:
    """Runs in a few threads, each with a handle of its own: what starts a program, and what waits for a lock."""

    def __init__(self, jobs: Jobs, script: str, environment: "dict[bytes, bytes]", most: int):
        self.jobs = jobs
        self.script = script
        self.environment = environment
        self.most = most
        self.numbers = itertools.count()
        self.own = threading.local()

    def handle(self) -> "flux.Flux":
        if not hasattr(self.own, "handle"):
            self.own.handle = flux.Flux()
            self.own.number = next(self.numbers)
        return self.own.handle

    def submit(self, request: Request):
        """submit NAME NONCE HASH GUARD SECRETS OPTION... -- WORD...: gives the job's id, also if the job was submitted
        before. A job with another HASH is removed, unless GUARD is not `allow` and its tasks run."""
        _, name, nonce, content, guard, *rest = request.words
        with self.locked("nonce-" + hashlib.sha256(nonce.encode()).hexdigest()[:2]):
            if request.is_over:
                return
            try:
                found = self.known(nonce, name, content)
            except index.IsArray:
                request.answer(ARRAY)
                return
            code = 0
            if found is not None and found[1] != content:
                # An earlier update may still be here when a later one has submitted the job.
                if not request.confirm():
                    return
                code, why = self.remove(found[0], nonce, guard)
                if code not in (0, RUNNING, UNKNOWN_JOB):
                    raise Failure(why)
                found = found if code == RUNNING else None
            jobid = found[0] if found is not None else self.submit_new(request, (name, nonce, content), rest)
        if jobid is not None:
            request.answer(RUNNING if code == RUNNING else 0, plain(jobid))

    def known(self, nonce: str, name: str, content: str) -> "tuple[int, str] | None":
        """The id and the hash of the job with this nonce, if Flux still has it."""
        jobid = index.find(self.handle(), nonce, name if index.is_earlier(nonce) else None)
        if jobid is None:
            return None
        try:
            spec = flux.job.job_info_lookup(self.handle(), jobid, keys=["jobspec"]).get()["jobspec"]
        except OSError as error:
            if error.errno == errno.ENOENT:
                return None
            raise
        return jobid, index.mark_of(spec).get("hash", content)

    def submit_new(self, request: Request, mark: "tuple[str, str, str]", rest: "list[str]") -> "int | None":
        name, nonce, content = mark
        urgency = [word.partition("=")[2] for word in rest[: rest.index("--")] if word.startswith("--urgency=")]
        self.jobs.connection.begin_lasting()
        try:
            spec = self.template([name, nonce, content, *rest])
            if not request.confirm():
                self.jobs.forget_secrets(nonce)
                return None
            index.intend(self.handle(), nonce, name)
            if not index.use(self.handle(), nonce, index.mark_of(spec).get("code")):
                self.jobs.forget_secrets(nonce)
                request.answer(NO_CODE)
                return None
            jobid = self.submit_spec(nonce, spec, int(urgency[0]) if urgency else URGENCY)
            # Without its id, a later submission searches for the job.
            with contextlib.suppress(OSError):
                index.put(self.handle(), nonce, {"id": plain(jobid)})
            return jobid
        except Failure:
            self.jobs.forget_secrets(nonce)
            raise
        finally:
            self.jobs.connection.end_lasting()

    def submit_spec(self, nonce: str, spec: str, urgency: int) -> int:
        try:
            return flux.job.submit(self.handle(), spec, urgency=urgency)
        except OSError as error:
            if error.errno not in REFUSED:
                raise
            index.remove(self.handle(), nonce, None)
            raise Failure(error.strerror or str(error)) from error

    def template(self, words: "list[str]") -> str:
        """The jobspec that `flux submit` makes, with the environment in which it runs otherwise."""
        self.handle()
        call = f"template {' '.join(map(shlex.quote, words))} </dev/null\nexit\n"
        # Across all agents: each takes as much memory as an agent.
        with self.locked(f"submission-{self.own.number % self.most}"):
            done = subprocess.run(
                ["bash", "-s"],
                input=(self.script + call).encode(),
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=self.environment,
            )
        if done.returncode != 0:
            why = done.stderr.decode("utf-8", "replace") or f"exit code {done.returncode}"
            if done.returncode in KILLED or any(word in why for word in SHORTAGE_WORDS):
                raise Busy(why)
            end_without_broker()
            raise Failure(why)
        return done.stdout.decode()

    def sweep(self, request: Request):
        """sweep NONCE NAME GUARD: cancels and removes the job with this nonce, if there is one. With another GUARD than
        `allow`, a job whose tasks run is left alone. Only tells of an array."""
        _, nonce, name, guard = request.words
        if os.path.exists(os.path.join(self.jobs.folder, nonce + ".lock")):
            # A submission of an array, which may still run: job.sh.
            with self.locked(nonce):
                pass
        # A submission that has had the last word comes first.
        with self.locked("nonce-" + hashlib.sha256(nonce.encode()).hexdigest()[:2]):
            try:
                jobid = index.find(self.handle(), nonce, name if index.is_earlier(nonce) else None)
            except index.IsArray:
                request.answer(ARRAY)
                return
            code, why = (UNKNOWN_JOB, "") if jobid is None else self.remove(jobid, nonce, guard)
            if code == UNKNOWN_JOB:
                index.remove(self.handle(), nonce, None)
                self.jobs.forget_secrets(nonce)
        request.answer(0 if code == UNKNOWN_JOB else code, err=why)

    def remove(self, jobid: int, nonce: str, guard: str) -> "tuple[int, str]":
        """Removes a job in the main thread, and waits for it."""
        answers: list[tuple[int, str]] = []
        done = threading.Event()

        def answer(code: int, _out: str, err: str):
            answers.append((code, err))
            done.set()

        @guarded(answer)
        def begin():
            self.jobs.remove_job(jobid, nonce, (END_SECONDS, guard), answer)

        self.jobs.connection.soon(begin)
        done.wait()
        return answers[0]

    @contextlib.contextmanager
    def locked(self, name: str) -> "typing.Generator[None, None, None]":
        with open(os.path.join(self.jobs.folder, name + ".lock"), "w", encoding="utf-8") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield


def plain(jobid: int) -> str:
    return flux.job.JobID(jobid).f58plain
