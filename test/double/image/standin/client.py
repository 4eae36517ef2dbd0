"""The client's end of the local socket."""

import errno
import itertools
import json
import os
import selectors
import socket
import time
from collections.abc import Callable

from .errors import Refusal, RpcError

DEFAULT_SOCKET = "/run/flux/local"
# src/common/librouter/usock.h: half a second in all.
RETRIES, FIRST_PAUSE, LONGEST_PAUSE = 5, 0.016, 2.0


def connect(prefix: str) -> "Client":
    """Connects with the error message of flux-core's C commands: `prefix` and the reason."""
    try:
        return Client()
    except ConnectError as error:
        raise Refusal(f"{prefix}: {os.strerror(error.errnum)}") from None


def connect_python(program: str) -> "Client":
    """Connects with the error message of flux-core's Python commands."""
    try:
        return Client()
    except ConnectError as error:
        raise Refusal(f"{program}: ERROR: Unable to connect to Flux: {error.text}") from None


class ConnectError(RpcError):
    """There is no broker, or it refuses this client."""


class Client:
    """A connection to the broker of FLUX_URI."""

    def __init__(self, uri: str | None = None):
        uri = uri or os.environ.get("FLUX_URI") or f"local://{DEFAULT_SOCKET}"
        if not uri.startswith("local://"):
            raise Refusal(f"flux: stand-in: only local:// URIs are implemented here, not {uri}", 2)
        path = uri.removeprefix("local://")
        self.connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_CLOEXEC)
        self.buffer = b""
        try:
            self.connect_patiently(path)
            self.receive_greeting()
        except OSError as error:
            missing = f"broker socket {path} was not found" if error.errno == errno.ENOENT else ""
            raise ConnectError(error.errno or errno.EIO, missing) from None
        self.numbers = itertools.count(1)
        self.answers: dict[int, Callable[[dict | None, RpcError | None], None]] = {}
        self.inputs: dict[int, Callable[[bytes], None]] = {}

    def connect_patiently(self, path: str) -> None:
        """Tries several times, because the broker may not have opened its socket yet."""
        left, pause = int(os.environ.get("FLUX_LOCAL_CONNECTOR_RETRY_COUNT") or RETRIES), FIRST_PAUSE
        while True:
            try:
                self.connection.connect(path)
                return
            except OSError:
                if left == 0:
                    raise
            time.sleep(pause)
            left, pause = left - 1, min(2 * pause, LONGEST_PAUSE)

    def receive_greeting(self) -> None:
        """Reads the broker's first line, which accepts or refuses this client."""
        while b"\n" not in self.buffer:
            data = self.connection.recv(1 << 16)
            if not data:
                raise ConnectionResetError(errno.ECONNRESET, os.strerror(errno.ECONNRESET))
            self.buffer += data
        line, self.buffer = self.buffer.split(b"\n", 1)
        errnum = json.loads(line)["errnum"]
        if errnum:
            raise OSError(errnum, os.strerror(errnum))

    def send(
        self,
        topic: str,
        payload: dict,
        answer: Callable[[dict | None, RpcError | None], None],
        nodeid: int | None = None,
    ) -> int:
        number = next(self.numbers)
        self.answers[number] = answer
        message = {"id": number, "topic": topic, "payload": payload, "nodeid": nodeid}
        self.connection.sendall(json.dumps(message).encode() + b"\n")
        return number

    def call(
        self, topic: str, payload: dict | None = None, nodeid: int | None = None, timeout: float | None = None
    ) -> dict:
        """Sends a request and waits for one answer. Raises RpcError."""
        result: list[tuple[dict | None, RpcError | None]] = []
        self.send(topic, payload or {}, lambda *answer: result.append(answer), nodeid)
        while not result:
            if not self.wait(timeout):
                raise RpcError(errno.ETIMEDOUT)
        answer, error = result[0]
        if error:
            raise error
        return answer or {}

    def read_input(self, descriptor: int, callback: Callable[[bytes], None]) -> None:
        """Makes wait() read from a descriptor, too. Empty data is its end."""
        self.inputs[descriptor] = callback

    def wait(self, timeout: float | None = None) -> bool:
        """Handles the data that arrives next. Returns False if none arrives in time."""
        with selectors.DefaultSelector() as selector:
            selector.register(self.connection, selectors.EVENT_READ)
            for descriptor in list(self.inputs):
                try:
                    selector.register(descriptor, selectors.EVENT_READ)
                except (PermissionError, ValueError):
                    self.take_input(descriptor)
            ready = selector.select(timeout)
        for key, _ in ready:
            if key.fileobj is self.connection:
                self.receive()
            else:
                self.take_input(key.fd)
        return bool(ready)

    def take_input(self, descriptor: int) -> None:
        callback = self.inputs[descriptor]
        try:
            data = os.read(descriptor, 1 << 16)
        except OSError:
            data = b""
        if not data:
            del self.inputs[descriptor]
        callback(data)

    def receive(self) -> None:
        data = self.connection.recv(1 << 16)
        if not data:
            raise RpcError(errno.ECONNRESET, "Connection reset by peer")
        *lines, self.buffer = (self.buffer + data).split(b"\n")
        for line in lines:
            message = json.loads(line)
            answer = self.answers.get(message["id"]) if message.get("more") else self.answers.pop(message["id"], None)
            if not answer:
                continue
            if "errnum" in message:
                answer(None, RpcError(message["errnum"], message["error"]))
            else:
                answer(message["payload"], None)
