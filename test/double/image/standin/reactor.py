"""One loop for zmq sockets, file descriptors, timers, signals and child processes."""

import heapq
import itertools
import os
import signal
import time
from collections.abc import Callable

import zmq

Callback = Callable[[], None]


class Timer:
    """A callback at a certain time, until it is cancelled."""

    def __init__(self, callback: Callback):
        self.callback: Callback | None = callback

    def cancel(self) -> None:
        self.callback = None


class Reactor:
    """Runs callbacks until `stop`."""

    def __init__(self) -> None:
        self.poller = zmq.Poller()
        self.readers: dict[object, Callback] = {}
        self.writers: dict[object, Callback] = {}
        self.timers: list[tuple[float, int, Timer]] = []
        self.order = itertools.count()
        self.posted: list[Callback] = []
        self.children: dict[int, Callable[[int], None]] = {}
        self.signal_handlers: dict[int, Callable[[int], None]] = {}
        self.running = True
        self.wake_read, self.wake_write = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        self.watch(self.wake_read, self.read_signals)
        signal.set_wakeup_fd(self.wake_write, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)

    def watch(self, source: object, callback: Callback) -> None:
        """Calls back whenever a socket or descriptor can be read."""
        self.readers[source] = callback
        self.update(source)

    def unwatch(self, source: object) -> None:
        """Removes the callbacks of a socket or descriptor."""
        self.readers.pop(source, None)
        self.writers.pop(source, None)
        self.update(source)

    def when_writable(self, source: object, callback: Callback | None) -> None:
        """Calls back whenever a descriptor can be written, until it is called with None."""
        if callback:
            self.writers[source] = callback
        else:
            self.writers.pop(source, None)
        self.update(source)

    def update(self, source: object) -> None:
        events = (zmq.POLLIN if source in self.readers else 0) | (zmq.POLLOUT if source in self.writers else 0)
        if events:
            self.poller.register(source, events)
        elif source in self.poller:
            self.poller.unregister(source)

    def post(self, callback: Callback) -> None:
        """Calls back in the next turn of the loop."""
        self.posted.append(callback)

    def after(self, seconds: float, callback: Callback) -> Timer:
        timer = Timer(callback)
        heapq.heappush(self.timers, (time.monotonic() + seconds, next(self.order), timer))
        return timer

    def every(self, seconds: float, callback: Callback) -> None:
        def again() -> None:
            callback()
            self.after(seconds, again)

        self.after(seconds, again)

    def on_signal(self, number: int, callback: Callable[[int], None]) -> None:
        self.signal_handlers[number] = callback
        signal.signal(number, lambda *_: None)

    def on_exit(self, pid: int, callback: Callable[[int], None]) -> None:
        """Calls back with the wait status when a child process has ended."""
        self.children[pid] = callback

    def read_signals(self) -> None:
        try:
            numbers = os.read(self.wake_read, 4096)
        except BlockingIOError:
            return
        for number in numbers:
            if number == signal.SIGCHLD:
                self.reap()
            elif number in self.signal_handlers:
                self.signal_handlers[number](number)

    def reap(self) -> None:
        """Reaps all children that have ended. If this is PID 1, also orphans."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            callback = self.children.pop(pid, None)
            if callback:
                callback(status)

    def stop(self) -> None:
        self.running = False

    def run(self) -> None:
        while self.running:
            self.run_timers()
            for source, events in self.poller.poll(self.wait_time()):
                for callbacks, wanted in ((self.readers, ~zmq.POLLOUT), (self.writers, ~zmq.POLLIN)):
                    callback = callbacks.get(source) if events & wanted else None
                    if callback:
                        callback()
            posted, self.posted = self.posted, []
            for callback in posted:
                callback()

    def wait_time(self) -> int:
        if self.posted or not self.running:
            return 0
        if not self.timers:
            return 60000
        return max(0, min(60000, int((self.timers[0][0] - time.monotonic()) * 1000) + 1))

    def run_timers(self) -> None:
        while self.timers and self.timers[0][0] <= time.monotonic():
            timer = heapq.heappop(self.timers)[2]
            if timer.callback:
                timer.callback()
