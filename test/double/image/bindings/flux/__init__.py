"""A stand-in for Flux' Python bindings (not Flux): the parts that our programs use, under the same names.

Checked: src/bindings/python/flux/{core/handle,core/watchers,future,rpc}.py."""

import errno
import os
import selectors
import time
from collections import deque
from collections.abc import Callable

from flux.constants import FLUX_POLLIN, FLUX_RPC_STREAMING
from standin.client import Client, ConnectError
from standin.errors import RpcError
from standin.translated import TRANSLATED


class Flux:
    """A connection to the broker."""

    def __init__(self):
        try:
            self.client = Client()
        except ConnectError as error:
            raise OSError(error.errnum, os.strerror(error.errnum)) from None
        self.waiting = 0
        self.watchers: set[Watcher] = set()

    def attr_get(self, name: str) -> str:
        return self.client.call("attr.get", {"name": name})["value"]

    def rpc(self, topic: str, payload: "dict | None" = None, nodeid: int = 0, flags: int = 0) -> "Future":
        if nodeid != 0:
            raise NotImplementedError("stand-in: rpc reaches rank 0 only here")
        if flags & FLUX_RPC_STREAMING:
            return Stream(self, topic, payload or {})
        translate = TRANSLATED.get(topic)
        if translate is None:
            return Future(self, topic, payload or {})
        return Translated(self, lambda: translate(self.client, payload or {}))

    def fd_watcher_create(self, fd_int: int, callback: Callable[..., object], events: int = 1) -> "FDWatcher":
        return FDWatcher(self, callback, fd_int, events)

    def timer_watcher_create(self, after: float, callback: Callable[..., object]) -> "TimerWatcher":
        return TimerWatcher(self, callback, after)

    def reactor_run(self) -> int:
        """Waits for the answers that have a callback, and while watchers are active."""
        while self.waiting > 0 or self.watchers:
            self.react()
        return 0

    def react(self) -> None:
        timers = [watcher for watcher in self.watchers if isinstance(watcher, TimerWatcher)]
        next_due = min((timer.due for timer in timers), default=None)
        with selectors.DefaultSelector() as selector:
            selector.register(self.client.connection, selectors.EVENT_READ)
            for watcher in self.watchers:
                if isinstance(watcher, FDWatcher):
                    selector.register(watcher.fd_int, selectors.EVENT_READ, watcher)
            ready = selector.select(None if next_due is None else max(0.0, next_due - time.monotonic()))
        for key, _ in ready:
            if key.data is None:
                try:
                    self.client.receive()
                except RpcError as error:
                    raise OSError(error.errnum, error.text) from None
            elif key.data in self.watchers:
                key.data.call()
        for timer in timers:
            if timer in self.watchers and timer.due <= time.monotonic():
                timer.stop()
                timer.call()


class Watcher:
    """Calls back while it is active."""

    def __init__(self, handle: Flux, callback: Callable[..., object]):
        self.handle, self.callback = handle, callback

    def start(self) -> "Watcher":
        self.handle.watchers.add(self)
        return self

    def stop(self) -> "Watcher":
        self.handle.watchers.discard(self)
        return self

    def destroy(self) -> None:
        self.stop()


class FDWatcher(Watcher):
    """A descriptor that can be read."""

    def __init__(self, handle: Flux, callback: Callable[..., object], fd_int: int, events: int):
        super().__init__(handle, callback)
        if events != FLUX_POLLIN:
            raise NotImplementedError("stand-in: descriptors can only be read here")
        self.fd_int = fd_int

    def call(self) -> None:
        self.callback(self.handle, self, self.fd_int, FLUX_POLLIN, None)


class TimerWatcher(Watcher):
    """Calls once, some seconds after its start."""

    def __init__(self, handle: Flux, callback: Callable[..., object], after: float):
        super().__init__(handle, callback)
        self.after, self.due = after, 0.0

    def start(self) -> "Watcher":
        self.due = time.monotonic() + self.after
        return super().start()

    def call(self) -> None:
        self.callback(self.handle, self, 0, None)


class Future:
    """An answer that is to come from rank 0."""

    def __init__(self, handle: Flux, topic: str, payload: dict):
        self.handle = handle
        self.answer: tuple[dict | None, RpcError | None] | None = None
        self.callback: Callable[[], None] | None = None
        handle.client.send(topic, payload, self.fulfill, 0)

    def fulfill(self, payload: "dict | None", error: "RpcError | None") -> None:
        self.answer = (payload, error)
        if self.callback is not None:
            self.handle.waiting -= 1
            self.callback()

    def then(self, callback: Callable[..., None], *args: object) -> "Future":
        self.handle.waiting += 1
        self.callback = lambda: callback(self, *args)
        return self

    def wait_for(self, _timeout: float = -1.0) -> "Future":
        """Does nothing: `get` waits."""
        return self

    def reset(self) -> None:
        """Waits for the next answer of a stream."""
        self.answer = None

    def get(self) -> dict:
        while self.answer is None:
            self.handle.client.wait()
        payload, error = self.answer
        if error is not None:
            raise OSError(error.errnum, error.text or os.strerror(error.errnum))
        return payload or {}


class Translated(Future):
    """An answer that is there at once."""

    def __init__(self, handle: Flux, call: Callable[[], dict]):  # pylint: disable=super-init-not-called
        self.handle, self.callback = handle, None
        self.answer = None
        try:
            self.fulfill(call(), None)
        except RpcError as error:
            self.fulfill(None, error)

    def then(self, callback: Callable[..., None], *args: object) -> "Translated":
        self.handle.timer_watcher_create(0, lambda *_: callback(self, *args)).start()
        return self


class Stream(Future):
    """Several answers. `reset` goes on to the next one."""

    def __init__(self, handle: Flux, topic: str, payload: dict):
        self.later: deque[tuple[dict | None, RpcError | None]] = deque()
        super().__init__(handle, topic, payload)

    def fulfill(self, payload: "dict | None", error: "RpcError | None") -> None:
        self.later.append((payload, error))

    def wait_for(self, timeout: float = -1.0) -> "Stream":
        end = None if timeout < 0 else time.monotonic() + timeout
        while not self.later:
            left = None if end is None else max(0.0, end - time.monotonic())
            try:
                arrived = self.handle.client.wait(left)
            except RpcError as error:
                raise OSError(error.errnum, error.text) from None
            if not arrived:
                raise OSError(errno.ETIMEDOUT, os.strerror(errno.ETIMEDOUT))
        self.answer = self.later[0]
        return self

    def reset(self) -> None:
        self.later.popleft()
        super().reset()
