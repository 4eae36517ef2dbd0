"""HTTP/1.1 for ASGI applications. Checked: uvicorn/protocols/http/h11_impl.py. A body needs a Content-Length, and
each connection has one request."""

import asyncio
from http import HTTPStatus
from typing import Any
from urllib.parse import unquote

from uvicorn.config import Config, ServerState

HIGH_WATER_BYTES = 65536
LARGEST_HEADERS = 65536


class AutoHTTPProtocol(asyncio.Protocol):
    def __init__(self, config: Config, server_state: ServerState, app_state: dict) -> None:
        self.config, self.state = config, server_state
        self.cycle: Any = None
        self.head = b""

    def connection_made(self, transport: Any) -> None:
        self.transport = transport
        self.state.connections.add(self)

    def connection_lost(self, exc: "Exception | None") -> None:
        self.state.connections.discard(self)
        if self.cycle is not None:
            self.cycle.disconnected = True
            self.cycle.event.set()

    def data_received(self, data: bytes) -> None:
        if self.cycle is None:
            self.head += data
            head, end, rest = self.head.partition(b"\r\n\r\n")
            if not end:
                if len(head) > LARGEST_HEADERS:
                    self.transport.close()
                return
            self.begin(head, rest)
        else:
            self.cycle.receive_data(data)

    def begin(self, head: bytes, rest: bytes) -> None:
        first, *lines = head.decode("latin-1").split("\r\n")
        method, target, _ = first.split(" ", 2)
        headers = [
            (name.lower().encode(), value.strip().encode()) for name, _, value in (x.partition(":") for x in lines)
        ]
        path, _, query = target.partition("?")
        scope = {
            "type": "http",
            "method": method,
            "path": unquote(path),
            "query_string": query.encode(),
            "headers": headers,
            "client": self.transport.get_extra_info("peername")[:2],
        }
        limit = self.config.limit_concurrency
        crowded = limit is not None and (len(self.state.connections) >= limit or len(self.state.tasks) >= limit)
        self.cycle = Cycle(self.transport, int(dict(headers).get(b"content-length", b"0")))
        self.cycle.receive_data(rest)
        task = asyncio.get_running_loop().create_task(
            self.cycle.run(unavailable if crowded else self.config.app, scope)
        )
        self.state.tasks.add(task)
        task.add_done_callback(self.state.tasks.discard)


class Cycle:
    """One request and its response."""

    def __init__(self, transport: Any, length: int) -> None:
        self.transport, self.left = transport, length
        self.body = b""
        self.event = asyncio.Event()
        self.disconnected = self.response_complete = False

    def receive_data(self, data: bytes) -> None:
        data = data[: self.left]
        self.left -= len(data)
        self.body += data
        if len(self.body) > HIGH_WATER_BYTES:
            self.transport.pause_reading()
        self.event.set()

    async def run(self, app: Any, scope: dict) -> None:
        try:
            await app(scope, self.receive, self.send)
        except Exception as error:
            print(f"ERROR:    Exception in ASGI application: {error!r}", flush=True)
        finally:
            self.response_complete = True
            self.transport.close()

    async def receive(self) -> dict:
        while not self.body and self.left and not self.disconnected:
            self.transport.resume_reading()
            self.event.clear()
            await self.event.wait()
        if self.disconnected:
            return {"type": "http.disconnect"}
        body, self.body = self.body, b""
        return {"type": "http.request", "body": body, "more_body": self.left > 0}

    async def send(self, message: dict) -> None:
        if self.disconnected:
            return
        if message["type"] == "http.response.start":
            status = HTTPStatus(message["status"])
            lines = [f"HTTP/1.1 {status.value} {status.phrase}".encode()]
            lines += [name + b": " + value for name, value in message["headers"] if name.lower() != b"connection"]
            self.transport.write(b"\r\n".join([*lines, b"connection: close", b"", b""]))
        else:
            self.transport.write(message.get("body", b""))


async def unavailable(scope: dict, receive: Any, send: Any) -> None:
    headers = [(b"content-type", b"text/plain; charset=utf-8")]
    await send({"type": "http.response.start", "status": 503, "headers": headers})
    await send({"type": "http.response.body", "body": b"Service Unavailable"})
