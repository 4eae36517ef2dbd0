"""A stand-in for Flux' Python bindings (not Flux): the parts that our programs use, under the same names.

Checked: src/bindings/python/flux/{core/handle,future,rpc}.py."""

import os
from collections.abc import Callable

from flux.translated import TRANSLATED
from standin.client import Client, ConnectError
from standin.errors import RpcError


class Flux:
    """A connection to the broker."""

    def __init__(self):
        try:
            self.client = Client()
        except ConnectError as error:
            raise OSError(error.errnum, os.strerror(error.errnum)) from None
        self.waiting = 0

    def attr_get(self, name: str) -> str:
        return self.client.call("attr.get", {"name": name})["value"]

    def rpc(self, topic: str, payload: "dict | None" = None) -> "Future":
        translate = TRANSLATED.get(topic)
        if translate is None:
            return Future(self, topic, payload or {})
        return Translated(self, lambda: translate(self.client, payload or {}))

    def reactor_run(self) -> int:
        """Waits for the answers that have a callback."""
        while self.waiting > 0:
            self.client.wait()
        return 0


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

    def wait_for(self, _timeout: float = -1.0) -> None:
        """Does nothing: `get` waits."""

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
