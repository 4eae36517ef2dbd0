"""A small HTTP server within limits: each client that reaches the port can send requests, and the server runs in the
lead's container. It takes so few connections in a second that a flood of them costs little CPU, and the system keeps
the others waiting. A client that sends no request makes room for the next one."""

import asyncio
import collections
import socket
import typing

# A connection costs a third of a millisecond of CPU: at most 2 % of a core.
SECONDS_BETWEEN = 0.02
CONNECTIONS = 64
WAITING_CONNECTIONS = 128
HEADER_BYTES = 8 << 10
HEADER_SECONDS = 5
ANSWER_SECONDS = 10

Answer = typing.Callable[[str], "typing.Awaitable[typing.Tuple[str, str]]"]


class Server:
    """Answers GET /metrics. `answer` makes the type and the text from the header Accept."""

    def __init__(self, answer: Answer):
        self.answer = answer
        self.open: collections.OrderedDict[typing.Any, None] = collections.OrderedDict()
        # asyncio itself keeps no task alive.
        self.tasks: typing.Set[asyncio.Future[None]] = set()

    async def run(self, listener: socket.socket):
        loop = asyncio.get_event_loop()
        while True:
            try:
                connection, _ = await loop.sock_accept(listener)
            except OSError:
                # The client has gone, or there are too many files: the pause is the cure.
                connection = None
            if connection is not None:
                task = asyncio.ensure_future(self.serve(connection))
                self.tasks.add(task)
                task.add_done_callback(self.tasks.discard)
            await asyncio.sleep(SECONDS_BETWEEN)

    async def serve(self, connection: socket.socket):
        try:
            reader, writer = await asyncio.open_connection(sock=connection, limit=HEADER_BYTES)
        except OSError:
            connection.close()
            return
        self.open[writer] = None
        if len(self.open) > CONNECTIONS:
            oldest, _ = self.open.popitem(last=False)
            oldest.transport.abort()
        try:
            writer.write(await self.response(reader))
            await asyncio.wait_for(writer.drain(), ANSWER_SECONDS)
        except (OSError, asyncio.TimeoutError, asyncio.IncompleteReadError):
            pass
        finally:
            self.open.pop(writer, None)
            writer.close()
            # A client that doesn't read its answer must not keep it here.
            asyncio.get_event_loop().call_later(ANSWER_SECONDS, writer.transport.abort)

    async def response(self, reader: asyncio.StreamReader) -> bytes:
        try:
            head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), HEADER_SECONDS)
        except asyncio.LimitOverrunError:
            return response("431 Request Header Fields Too Large", f"Headers have at most {HEADER_BYTES} bytes.\n")
        request, *lines = head.decode("latin-1").split("\r\n")
        method, _, rest = request.partition(" ")
        if method not in ("GET", "HEAD"):
            return response("405 Method Not Allowed", "Only GET is allowed.\n", more="Allow: GET, HEAD\r\n")
        if rest.partition(" ")[0].partition("?")[0] != "/metrics":
            return response("404 Not Found", "There is only /metrics.\n")
        accepted = [line.partition(":")[2] for line in lines if line.lower().startswith("accept:")]
        kind, text = await self.answer(",".join(accepted))
        return response("200 OK", text, kind, has_body=method == "GET")


def response(status: str, text: str, kind: str = "text/plain; charset=utf-8", more: str = "", has_body: bool = True):
    body = text.encode()
    head = (
        f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n{more}Connection: close\r\n\r\n"
    )
    return head.encode() + (body if has_body else b"")


def listen(port: int) -> socket.socket:
    """All addresses of both families, or of IPv4 where the system has no IPv6."""
    try:
        return bound(socket.AF_INET6, "::", port)
    except OSError as error:
        try:
            return bound(socket.AF_INET, "0.0.0.0", port)
        except OSError:
            raise error from None


def bound(family: int, address: str, port: int) -> socket.socket:
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        listener.bind((address, port))
        listener.listen(WAITING_CONNECTIONS)
        listener.setblocking(False)
    except OSError:
        listener.close()
        raise
    return listener
