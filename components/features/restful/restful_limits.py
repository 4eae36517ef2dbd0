"""Limits of the RESTful server. Each client that reaches its port can send requests, and the server runs in the lead's
container: without limits, a client without a token could use up the lead's memory and CPU. Each worker has its own."""

import asyncio
import importlib
import json
import os
import time
from typing import Any, Callable, Dict
from urllib.parse import urlsplit

import restful_tls
from uvicorn.protocols.http.auto import AutoHTTPProtocol

Headers = Dict[bytes, bytes]
# Of ASGI: receive() and send(message).
Receive = Callable[[], Any]
Send = Callable[[Dict[str, Any]], Any]

CONNECTIONS = 128
REQUESTS = 64
# From the beginning of a connection or of a further request until its headers are complete.
HEADER_SECONDS = 10
BODY_BYTES = 1 << 20
BODY_SECONDS = 30
# A parsed body is many times as large. Few of those above this size are handled at a time.
LARGE_BYTES = 64 << 10
LARGE_REQUESTS = 4
# Failed logins: of one address, and of all. Each costs about 0.2 s of CPU.
ADDRESS_FAILURES, ADDRESS_SECONDS = 10, 2.0
ALL_FAILURES, ALL_SECONDS = 30, 1.0
KNOWN_ADDRESSES = 1024


# The connections that count.
OPEN = set()


class Connection(AutoHTTPProtocol):
    """A connection, which is closed if there are too many, or if its client doesn't send a request in time."""

    def __init__(self, config: Any, *args: Any, **kwargs: Any):
        restful_tls.renew(config)
        super().__init__(config, *args, **kwargs)

    def connection_made(self, transport: Any):
        super().connection_made(transport)
        self.waiting = None
        if len(OPEN) >= CONNECTIONS:
            transport.abort()
            return
        OPEN.add(self)
        self._expect_request()

    def data_received(self, data: bytes):
        super().data_received(data)
        cycle = self.cycle
        if cycle is not None and not cycle.response_complete:
            self._stop_waiting()
        elif self.waiting is None:
            self._expect_request()

    def connection_lost(self, exc: "Exception | None"):
        self._stop_waiting()
        OPEN.discard(self)
        super().connection_lost(exc)

    def _expect_request(self):
        self.waiting = asyncio.get_event_loop().call_later(HEADER_SECONDS, self.transport.abort)

    def _stop_waiting(self):
        if self.waiting is not None:
            self.waiting.cancel()
            self.waiting = None


class Bucket:
    """Allowed failures, of which one is added again each time that the seconds have passed."""

    def __init__(self, size: int, seconds: float):
        self.size, self.seconds = size, seconds
        self.left, self.since = float(size), time.monotonic()

    def fill(self):
        now = time.monotonic()
        self.left = min(self.size, self.left + (now - self.since) / self.seconds)
        self.since = now
        return self.left

    def give_back(self):
        self.left = min(self.size, self.left + 1)


class Logins:
    """Counts failed logins. A login is counted when it begins, and given back when it succeeds."""

    def __init__(self):
        self.all = Bucket(ALL_FAILURES, ALL_SECONDS)
        self.addresses = {}
        # Addresses of successful logins, which failures of other addresses don't keep out.
        self.trusted = {}

    def begin(self, address: str):
        """Returns the buckets from which the login was taken, or None if it must be refused."""
        bucket = self.addresses.pop(address, None) or Bucket(ADDRESS_FAILURES, ADDRESS_SECONDS)
        keep(self.addresses, address, bucket)
        buckets = [bucket] if address in self.trusted else [bucket, self.all]
        if any(one.fill() < 1 for one in buckets):
            return None
        for one in buckets:
            one.left -= 1
        return buckets

    def succeed(self, address: str, buckets: list):
        self.trusted.pop(address, None)
        keep(self.trusted, address, True)
        for one in buckets:
            one.give_back()


def keep(table: dict, key: str, value: Any):
    """Adds an entry. The oldest one makes room for it."""
    table[key] = value
    if len(table) > KNOWN_ADDRESSES:
        del table[next(iter(table))]


class Refused(Exception):
    pass


class Limited:
    """An ASGI application that passes on complete requests within the limits."""

    def __init__(self, inner: Any):
        self.inner = inner
        self.logins = Logins()
        self.large = asyncio.Semaphore(LARGE_REQUESTS)

    async def __call__(self, scope: dict, receive: Receive, send: Send):
        if scope["type"] != "http":
            await self.inner(scope, receive, send)
            return
        headers = {name.lower(): value for name, value in scope["headers"]}
        try:
            body = await asyncio.wait_for(read(headers, receive), BODY_SECONDS)
        except asyncio.TimeoutError:
            await answer(send, 408, f"The request was not complete within {BODY_SECONDS} s.")
        except Refused:
            await answer(send, 413, f"The request's body has more than {BODY_BYTES} bytes.")
        else:
            if body is not None:
                await self.admit(scope, headers, replay(body, receive), send, len(body))

    async def admit(self, scope: dict, headers: Headers, receive: Receive, send: Send, size: int):
        if is_login(scope, headers):
            await self.log_in(scope, receive, send)
        elif size > LARGE_BYTES:
            async with self.large:
                await self.inner(scope, receive, send)
        else:
            await self.inner(scope, receive, send)

    async def log_in(self, scope: dict, receive: Receive, send: Send):
        address = (scope.get("client") or [""])[0]
        buckets = self.logins.begin(address)
        if buckets is None:
            await answer(send, 429, "There were too many failed logins.", ((b"retry-after", b"2"),))
            return

        async def watch(message: dict):
            if message["type"] == "http.response.start" and message["status"] < 400:
                self.logins.succeed(address, buckets)
            await send(message)

        await self.inner(scope, receive, watch)


def is_login(scope: dict, headers: Headers) -> bool:
    """The two ways to a token, and pages that take user and password in each request."""
    path = urlsplit(scope["path"]).path.rstrip("/")
    return path.endswith(("/token", "/access-token")) or headers.get(b"authorization", b"")[:6].lower() == b"basic "


async def read(headers: Headers, receive: Receive):
    """The whole body; None if the client has gone."""
    if int(headers.get(b"content-length", b"0")) > BODY_BYTES:
        raise Refused
    parts, size, more = [], 0, True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        more = message.get("more_body", False)
        if size > BODY_BYTES:
            raise Refused
    return b"".join(parts)


def replay(body: bytes, receive: Receive):
    """A `receive` that has the body, and after that the end of the connection."""
    left = [body]

    async def next_message():
        if left:
            return {"type": "http.request", "body": left.pop(), "more_body": False}
        return await receive()

    return next_message


async def answer(send: Send, status: int, detail: str, more: tuple = ()):
    body = json.dumps({"detail": detail}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode()), *more]
    await send({"type": "http.response.start", "status": status, "headers": [*headers, (b"connection", b"close")]})
    await send({"type": "http.response.body", "body": body})


def app():
    module, name = os.environ["UVICORN_APP"].split(":")
    return Limited(getattr(importlib.import_module(module), name))
