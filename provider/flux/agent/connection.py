"""The connection of the agent with the process that has started it: a request or an answer is an object in a line.

The agent ends with its connection: at the end of its standard input, and if nothing arrives for a while, because a cut
network ends no connection.
"""

import errno
import json
import os
import queue
import signal
import sys
import threading
import typing
from concurrent.futures import ThreadPoolExecutor

import flux
import flux.constants
from protocol import BUSY, NO_BROKER, SILENCE_SECONDS

# Seconds that submissions have to end after the connection.
LAST_SECONDS = 30
# Errors of a lead that has no memory, processes or descriptors left at the moment.
SHORTAGE = (errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE)

Answer = typing.Callable[[int, str, str], object]


def guarded(answer: Answer) -> "typing.Callable[[typing.Callable[..., object]], typing.Callable[..., None]]":
    """Makes an error of a function the answer of its request. In a callback of Flux, it would end the agent for all
    requests; in a thread, the request would get no answer."""

    def guard(act: "typing.Callable[..., object]") -> "typing.Callable[..., None]":
        def attempt(*words: object):
            try:
                act(*words)
            except Exception as error:
                answer(BUSY if is_passing(error) else 1, "", why_of(error))

        return attempt

    return guard


def is_passing(error: Exception) -> bool:
    """True if a later try may succeed."""
    return isinstance(error, (Busy, MemoryError)) or (isinstance(error, OSError) and error.errno in SHORTAGE)


def why_of(error: Exception) -> str:
    """The text of an error. Ends the agent if it is the broker's."""
    if isinstance(error, OSError):
        # Without memory or descriptors, a broker that answers can't be asked.
        if not is_passing(error):
            end_without_broker()
        return error.strerror or str(error)
    return str(error) if isinstance(error, Failure) else f"{type(error).__name__}: {error}"


def started_pool(size: int) -> ThreadPoolExecutor:
    """A pool whose threads run already, because a lead may have no place for them later. Fails if it has none now."""
    pool = ThreadPoolExecutor(size)
    meeting = threading.Barrier(size + 1)
    for _ in range(size):
        pool.submit(meeting.wait)
    meeting.wait()
    return pool


class Failure(Exception):
    """Why a request fails. Its text is for the user."""


class Busy(Failure):
    """The lead has no place for the request at the moment."""


class Request:
    """A request, which has one answer at last."""

    def __init__(self, connection: "Connection", number: int, words: "list[str]"):
        self.connection = connection
        self.number = number
        self.words = words
        self.is_over = False
        self.decided = threading.Event()
        self.is_wanted = False

    def tell(self, **fields: object):
        """Sends a part of what the request asks for."""
        if not self.is_over:
            self.connection.send({"id": self.number, **fields})

    def answer(self, code: int, out: str = "", err: str = ""):
        self.tell(code=code, out=out, err=err)
        self.end()

    def end(self):
        self.is_over = True
        self.decided.set()
        self.connection.requests.pop(self.number, None)

    def decide(self, is_wanted: bool):
        """The client wants what the agent is ready to do, or not any more. The first word after a question counts."""
        if not self.decided.is_set():
            self.is_wanted = is_wanted
            self.decided.set()

    def confirm(self) -> bool:
        """Asks the client for the last word before something that lasts. False if the request or the connection ends
        before."""
        self.is_wanted = False
        self.decided.clear()
        if not self.is_over:
            self.tell(ready=True)
            self.decided.wait()
        return self.is_wanted


class Connection:
    """Reads requests in a thread of its own, so that the end is seen while all others wait."""

    def __init__(self, handle: "flux.Flux"):
        self.handle = handle
        self.requests: dict[int, Request] = {}
        self.lock = threading.Lock()
        self.tasks: queue.Queue[typing.Callable[[], object]] = queue.Queue()
        self.wakes, self.waker = os.pipe()
        self.lasting = 0
        self.rest = threading.Condition()

    def send(self, message: dict):
        line = json.dumps(message, separators=(",", ":")).encode() + b"\n"
        with self.lock:
            try:
                sys.stdout.buffer.write(line)
                sys.stdout.buffer.flush()
            except OSError:
                # The reader of the input sees the end too.
                return

    def soon(self, task: "typing.Callable[[], object]"):
        """Runs a task in the main thread, which has the handle."""
        self.tasks.put(task)
        os.write(self.waker, b".")

    def run(self, handle_request: "typing.Callable[[Request], object]"):
        """Runs until the connection ends."""

        def wake(*_: object):
            for _byte in os.read(self.wakes, 4096):
                self.tasks.get()()

        watcher = self.handle.fd_watcher_create(self.wakes, wake, flux.constants.FLUX_POLLIN)
        watcher.start()
        threading.Thread(target=self.read, args=(handle_request,), daemon=True).start()
        self.send({"hello": 1})
        self.handle.reactor_run()

    def read(self, handle_request: "typing.Callable[[Request], object]"):
        signal.alarm(SILENCE_SECONDS)
        for line in sys.stdin.buffer:
            signal.alarm(SILENCE_SECONDS)
            self.take(json.loads(line), handle_request)
        signal.alarm(LAST_SECONDS)
        for request in list(self.requests.values()):
            request.decide(False)
            request.end()
        with self.rest:
            self.rest.wait_for(lambda: self.lasting == 0)
        os._exit(0)

    def take(self, message: dict, handle_request: "typing.Callable[[Request], object]"):
        number = message.get("id")
        if number is None:
            self.soon(lambda: self.send({"alive": 1}))
        elif "words" in message:
            request = self.requests[number] = Request(self, number, message["words"])
            self.soon(guarded(request.answer)(lambda: handle_request(request)))
        elif number in self.requests:
            request = self.requests[number]
            request.decide("go" in message)
            if "stop" in message:
                request.end()

    def begin_lasting(self):
        """What begins here is finished, also if the connection ends."""
        with self.rest:
            self.lasting += 1

    def end_lasting(self):
        with self.rest:
            self.lasting -= 1
            self.rest.notify_all()


def end_without_broker():
    """Ends the agent if the broker doesn't answer: Flux' errors are then no answers to requests."""
    try:
        flux.Flux().attr_get("size")
    except OSError:
        sys.stderr.write("the lead's broker does not answer\n")
        sys.stderr.flush()
        os._exit(NO_BROKER)
