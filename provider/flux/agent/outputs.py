"""Reads the outputs of jobs in a few threads, a part at a time.

The position in an output is a number of parts, and of events after them: a reader that comes back reads no earlier
part.
"""

import threading
import typing

import flux
import flux.job
import joboutput
from connection import Failure, Request, end_without_broker, guarded, started_pool
from jobs import Jobs, Log

# Outputs that are read at the same time: each starts a program of Flux.
READERS = 4
# Bytes after which a message is sent.
MESSAGE = 64 * 2**10
# Seconds between two looks at the output of a job that runs: the pause grows while nothing is printed.
SHORTEST_PAUSE, LONGEST_PAUSE = 0.1, 1.0
# Looks in a row that may fail while a job runs: Flux moves the output when the job ends.
FAILURES = 5


class Readers:
    """The calls that read outputs."""

    def __init__(self, jobs: Jobs):
        self.jobs = jobs
        self.own = threading.local()
        self.pool = started_pool(READERS)

    def events(self, jobid: int) -> str:
        """The events of a job until now, for a thread."""
        if not hasattr(self.own, "handle"):
            self.own.handle = flux.Flux()
        return flux.job.job_info_lookup(self.own.handle, jobid, keys=["eventlog"]).get()["eventlog"]

    def open(self, request: Request, call: "typing.Callable[[int], None]"):
        """Calls with the id of a job that has the nonce of the request."""
        name, nonce = request.words[1:3]
        jobid = int(flux.job.JobID(name))

        @guarded(request.answer)
        def looked(log: "Log | None", why: str):
            if log is None:
                self.jobs.tell_events(request, nonce, log, why)
            else:
                self.act(request, lambda: call(jobid))

        self.jobs.look(jobid, nonce, looked)

    def act(self, request: Request, call: "typing.Callable[[], None]"):
        """Reads in a thread."""

        @guarded(request.answer)
        def read():
            try:
                if not request.is_over:
                    call()
            except joboutput.Unreadable as error:
                end_without_broker()
                raise Failure(str(error)) from error

        self.pool.submit(read)

    def read_end(self, request: Request, jobid: int):
        """output ID NONCE BYTES: gives the last bytes of the output of a finished job."""
        output = joboutput.Output(jobid)
        output.take(self.events(jobid))
        request.tell(text=joboutput.end_of(output, int(request.words[3])).decode("latin-1"), stream="end")
        request.answer(0)

    def output(self, request: Request):
        self.open(request, lambda jobid: self.read_end(request, jobid))

    def follow(self, request: Request):
        """follow ID NONCE PARTS EVENTS EXCEPTIONS [SECONDS]: sends the output of a job until its end, and then the
        job's events. The numbers are the position of an earlier call. With SECONDS, it looks at the output so seldom,
        and also tells what the program says of its progress. `show` sends the output that there is now."""
        call, _, _, *numbers = request.words
        parts, events, exceptions, *seconds = map(int, numbers)
        follower = Follower(self, request, (parts, events, exceptions))
        follower.waits = call == "follow"
        if seconds:
            follower.shortest = follower.longest = follower.pause = seconds[0]
            follower.tells_progress = True
        self.open(request, follower.look)

    def watch_output(self, request: Request):
        """watch_output ID NONCE BYTES SECONDS: does so with the present end of the output only."""
        most, seconds = map(int, request.words[3:])
        self.open(request, EndWatcher(self, request, (most, seconds)).look)


class Looker:
    """Looks at the output of a job again and again until the job's end."""

    def __init__(self, readers: Readers, request: Request):
        self.readers = readers
        self.request = request
        self.waits = True
        self.tells_progress = True
        self.progress = ""
        self.pause = SHORTEST_PAUSE
        self.failures = 0

    def read(self, output: joboutput.Output) -> "typing.Iterator[None]":
        """Sends what is new, and pauses after each part of it."""
        raise NotImplementedError

    def look(self, jobid: int):
        output = joboutput.Output(jobid)
        events = self.readers.events(jobid)
        output.take(events)
        if self.tells_progress and output.progress != self.progress:
            self.progress = output.progress
            self.request.tell(stream="progress", text=latin(self.progress.encode("utf-8", "replace")))
        self.read_on(jobid, output, events, self.read(output))

    def read_on(self, jobid: int, output: joboutput.Output, events: str, reading: "typing.Iterator[None]"):
        try:
            for _ in reading:
                # Other requests have their turn between the parts of a long output.
                self.readers.act(self.request, lambda: self.read_on(jobid, output, events, reading))
                return
            self.failures = 0
        except joboutput.Unreadable:
            self.failures += 1
            if output.is_over or not self.waits or self.failures > FAILURES:
                raise
            self.again(jobid)
            return
        if output.is_over or not self.waits:
            self.readers.jobs.forget_secrets_of(self.request.words[2], events)
            self.request.answer(0, events)
        else:
            self.again(jobid)

    def again(self, jobid: int):
        readers, request = self.readers, self.request

        @guarded(request.answer)
        def act():
            readers.act(request, lambda: self.look(jobid))

        @guarded(request.answer)
        def wait():
            readers.jobs.wait(jobid, "clean", self.pause, act)

        readers.jobs.connection.soon(wait)


class EndWatcher(Looker):
    """Sends the present end of an output."""

    def __init__(self, readers: Readers, request: Request, numbers: "tuple[int, int]"):
        super().__init__(readers, request)
        self.most, self.pause = numbers
        self.told = b""

    def read(self, output: joboutput.Output) -> "typing.Iterator[None]":
        text = joboutput.end_of(output, self.most) if self.most > 0 else b""
        if text != self.told:
            self.told = text
            self.request.tell(stream="end", text=latin(text))
        return iter(())


class Follower(Looker):
    """Sends a whole output from a position."""

    def __init__(self, readers: Readers, request: Request, position: "tuple[int, int, int]"):
        super().__init__(readers, request)
        self.parts, self.skipped, self.exceptions = position
        self.chunks = joboutput.Chunks()
        self.shortest: float = SHORTEST_PAUSE
        self.longest: float = LONGEST_PAUSE
        self.tells_progress = False

    def read(self, output: joboutput.Output) -> "typing.Iterator[None]":
        parts = output.parts()
        for message in output.exceptions[self.exceptions :]:
            self.exceptions += 1
            self.request.tell(stream="exception", text=latin(message), exceptions=self.exceptions)
        self.pause = self.shortest if len(parts) > self.parts else min(self.longest, self.pause * 1.5)
        while self.parts < len(parts) and not self.request.is_over:
            self.send(output, parts[self.parts : self.parts + self.chunks.next])
            yield

    def send(self, output: joboutput.Output, parts: "list[str | bytes]"):
        number, size, sent = 0, 0, self.skipped
        last, text = "stdout", b""
        for number, piece in enumerate(output.pieces_of_all(parts), 1):
            if piece is None or number <= sent:
                continue
            stream, data = piece
            size += len(data) + joboutput.FRINGE
            if text and (stream != last or len(text) >= MESSAGE):
                self.request.tell(stream=last, text=latin(text), at=[self.parts, number - 1])
                # If the rest can't be read now, a later look doesn't tell this again.
                self.skipped = number - 1
                text = b""
            last, text = stream, text + data
            if self.request.is_over:
                return
        # An earlier call may have read more parts at a time than this one.
        self.parts, self.skipped = self.parts + len(parts), max(0, self.skipped - number)
        at = [self.parts, self.skipped]
        if text:
            self.request.tell(stream=last, text=latin(text), at=at)
        else:
            self.request.tell(at=at)
        self.chunks.learn(len(parts), size)


def latin(text: bytes) -> str:
    """Bytes as JSON takes them: one character each."""
    return text.decode("latin-1")
