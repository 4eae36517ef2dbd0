"""Watches jobs, and removes them. All of it runs in the main thread, in callbacks of Flux."""

import errno
import os
import typing

import flux
import flux.job
import index
import joboutput
from connection import Answer, Connection, Request, guarded, why_of
from protocol import RUNNING, UNKNOWN_JOB


class Log:
    """The events of a job until now."""

    def __init__(self, text: str):
        self.text = text
        self.names = {event["name"] for event in joboutput.events_in(text)}

    def runs(self) -> bool:
        return "start" in self.names and not self.names & {"finish", "clean"}

    def is_over(self) -> bool:
        return "clean" in self.names


class Watch:
    """One stream of the events of a job for all that wait for one."""

    def __init__(self, handle: "flux.Flux", jobid: int, ended: "typing.Callable[[], None]"):
        self.names: set[str] = set()
        self.waiting: dict[str, list[typing.Callable[[], None]]] = {}
        self.ended = ended
        flux.job.event_watch_async(handle, jobid).then(self.hear)

    def hear(self, future: "flux.job.JobEventWatchFuture"):
        try:
            event = future.get_event()
        except Exception:
            # All that wait look at the job, and tell what is wrong.
            event = None
        if event is None:
            self.ended()
            self.names |= set(self.waiting)
        else:
            self.names.add(event["name"])
        for name in self.names & set(self.waiting):
            for tell in self.waiting.pop(name):
                tell()


class Jobs:
    """The calls for single jobs. Each has the job's nonce: another instance may have given the id to another job.
    All callbacks that they take are guarded."""

    def __init__(self, connection: Connection, folder: str):
        self.connection = connection
        self.handle = connection.handle
        self.folder = folder
        self.nonces: dict[int, object] = {}
        self.watches: dict[int, Watch] = {}
        self.timers: set[object] = set()

    def look(self, jobid: int, nonce: str, then: "typing.Callable[[Log | None, str], None]"):
        """Reads the events of a job. Gives none for an unknown job, and why others can't be read."""

        def looked(future: "flux.job.JobInfoLookupRPC"):
            log, why = None, ""
            try:
                found = future.get()
                if "jobspec" in found:
                    self.nonces[jobid] = index.nonce_of(found["jobspec"])
                # A user names any job without a nonce.
                if nonce in ("", self.nonces[jobid]):
                    log = Log(found["eventlog"])
            except Exception as error:
                is_unknown = isinstance(error, OSError) and error.errno == errno.ENOENT
                why = "" if is_unknown else why_of(error)
            then(log, why)

        keys = ["eventlog"] + ([] if jobid in self.nonces else ["jobspec"])
        flux.job.job_info_lookup(self.handle, jobid, keys=keys).then(looked)

    def wait(self, jobid: int, event: str, seconds: float, then: "typing.Callable[[], None]"):
        """Waits for an event or for the end of the job, at most so many seconds."""
        if jobid not in self.watches:
            self.watches[jobid] = Watch(self.handle, jobid, lambda: self.forget(jobid))
        watch = self.watches[jobid]
        if event in watch.names:
            then()
            return
        timer = self.handle.timer_watcher_create(seconds, lambda *_: finish())

        def finish():
            # Flux keeps a timer that is only stopped.
            timer.destroy()
            if timer in self.timers:
                self.timers.remove(timer)
                if finish in watch.waiting.get(event, []):
                    watch.waiting[event].remove(finish)
                then()

        self.timers.add(timer)
        watch.waiting.setdefault(event, []).append(finish)
        timer.start()

    def forget(self, jobid: int):
        self.watches.pop(jobid, None)

    def watch(self, request: Request):
        """watch ID NONCE EVENT SECONDS: waits for EVENT, at most SECONDS, and gives the job's events."""
        _, name, nonce, event, seconds = request.words
        jobid = int(flux.job.JobID(name))

        @guarded(request.answer)
        def looked(log: "Log | None", why: str):
            if log is not None and event and event not in log.names and not log.is_over():
                self.wait(jobid, event, float(seconds), waited)
            else:
                tell(log, why)

        @guarded(request.answer)
        def waited():
            if not request.is_over:
                self.look(jobid, nonce, tell)

        @guarded(request.answer)
        def tell(log: "Log | None", why: str):
            self.tell_events(request, nonce, log, why)

        self.look(jobid, nonce, looked)

    def tell_events(self, request: Request, nonce: str, log: "Log | None", why: str):
        if log is None:
            request.answer(1 if why else UNKNOWN_JOB, err=why)
            return
        # Tasks that never started have not read them.
        self.forget_secrets_of(nonce, log.text)
        request.answer(0, log.text)

    def remove(self, request: Request):
        """remove ID NONCE SECONDS GUARD: cancels the job, waits for its end and removes it from Flux' history. With
        another GUARD than `allow`, a job whose tasks run is left alone."""
        _, name, nonce, seconds, guard = request.words
        self.remove_job(int(flux.job.JobID(name)), nonce, (float(seconds), guard), request.answer)

    def remove_job(self, jobid: int, nonce: str, how: "tuple[float, str]", answer: Answer):
        seconds, guard = how

        @guarded(answer)
        def looked(log: "Log | None", why: str):
            if log is None:
                if not why:
                    index.remove(self.handle, nonce, jobid)
                answer(1 if why else UNKNOWN_JOB, "", why)
            elif guard != "allow" and log.runs():
                answer(RUNNING, log.text, "")
            elif log.is_over():
                purge()
            else:
                cancelling = flux.job.cancel_async(self.handle, jobid)
                cancelling.then(cancelled)

        @guarded(answer)
        def cancelled(future: "flux.Future"):
            ignore(future)
            self.wait(jobid, "clean", seconds, waited)

        @guarded(answer)
        def waited():
            self.look(jobid, nonce, ended)

        @guarded(answer)
        def ended(log: "Log | None", why: str):
            if why:
                answer(1, "", why)
            elif log is None or log.is_over():
                purge()
            else:
                answer(1, "", f"the cancelled job has not ended within {seconds:.0f} s")

        def purge():
            self.handle.rpc("job-manager.purge-id", {"id": jobid, "force": 1}).then(purged)

        @guarded(answer)
        def purged(future: "flux.Future"):
            error = ignore(future)
            if error is not None and error.errno != errno.ENOENT:
                answer(1, "", error.strerror or str(error))
                return
            index.remove(self.handle, nonce, jobid)
            self.forget_secrets(nonce)
            answer(0, "", "")

        self.look(jobid, nonce, looked)

    def forget_secrets_of(self, nonce: str, events: str):
        """Removes the secrets of a job that is over."""
        if Log(events).is_over():
            self.forget_secrets(nonce)

    def forget_secrets(self, nonce: str):
        for path in ("{}.env", "{}.env.read"):
            try:
                os.remove(os.path.join(self.folder, path.format(nonce)))
            except OSError:
                continue


def ignore(future: "flux.Future") -> "OSError | None":
    """The error of an answer. A job that has ended, or is gone, can't be cancelled."""
    try:
        future.get()
    except OSError as error:
        return error
    return None
