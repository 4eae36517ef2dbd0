"""Requests and answers: between brokers over the overlay, and with clients over a unix socket."""

import contextlib
import errno
import itertools
import json
import os
import socket
from collections.abc import Callable

from .errors import RpcError
from .overlay import Overlay
from .reactor import Reactor

# Requests of clients that are allowed before the broker has joined: src/broker/modhash.c (allow_early_request).
EARLY_TOPICS = ("state-machine.get", "state-machine.wait", "attr.get", "log.dmesg")

Answer = Callable[[dict | None, RpcError | None, bool], None]


class Request:
    """A request to a service. It gets one answer, or several if it streams."""

    def __init__(self, topic: str, payload: dict, answer: Answer):
        self.topic = topic
        self.payload = payload
        self.answer = answer
        self.finished = False
        self.on_cancel: Callable[[], None] = lambda: None

    def respond(self, payload: dict | None = None, more: bool = False) -> None:
        if not self.finished:
            self.finished = not more
            self.answer(payload or {}, None, more)

    def fail(self, errnum: int, text: str = "") -> None:
        if not self.finished:
            self.finished = True
            self.answer(None, RpcError(errnum, text), False)

    def cancel(self) -> None:
        """The client that asked has gone."""
        if not self.finished:
            self.finished = True
            self.on_cancel()


Service = Callable[[Request], None]


class Switch:
    """Sends each request to its service: in this broker, on rank 0, or on the given rank."""

    def __init__(self, overlay: Overlay):
        self.overlay = overlay
        self.services: dict[str, Service] = {}
        self.pending: dict[int, Answer] = {}
        self.serving: dict[tuple[int, int], Request] = {}
        self.numbers = itertools.count(1)
        self.events: dict[str, Callable[[dict], None]] = {}
        overlay.on_message = self.receive

    def add(self, topic: str, service: Service) -> None:
        self.services[topic] = service

    def ask(self, rank: int | None, topic: str, payload: dict, answer: Answer | None) -> Callable[[], None]:
        """Sends a request. The result cancels it. Rank None is the nearest broker that has the service."""
        if rank == self.overlay.rank or (rank is None and (topic in self.services or self.overlay.rank == 0)):
            return self.serve_here(topic, payload, answer)
        number = next(self.numbers)
        to = rank or 0
        message = {
            "t": "request",
            "from": self.overlay.rank,
            "to": to,
            "id": number,
            "topic": topic,
            "payload": payload,
            "noreply": answer is None,
        }
        if answer:
            self.pending[number] = answer
        if to >= self.overlay.boot.size or not self.overlay.route(message):
            self.pending.pop(number, None)
            if answer:
                answer(None, RpcError(errno.EHOSTUNREACH), False)
            return lambda: None

        def cancel() -> None:
            if self.pending.pop(number, None):
                self.overlay.route({**message, "id": number, "topic": "broker.cancel", "noreply": True})

        return cancel

    def serve_here(self, topic: str, payload: dict, answer: Answer | None) -> Callable[[], None]:
        request = Request(topic, payload, answer or (lambda *_: None))
        self.call(request)
        return request.cancel

    def call(self, request: Request) -> None:
        service = self.services.get(request.topic)
        if not service:
            request.fail(errno.ENOSYS, f"No service matching {request.topic} is registered")
            return
        try:
            service(request)
        except RpcError as error:
            request.fail(error.errnum, error.text)
        except (KeyError, TypeError, ValueError) as error:
            request.fail(errno.EPROTO, f"stand-in: {request.topic}: {error!r}")

    def receive(self, message: dict) -> None:
        if message["t"] == "event":
            handler = self.events.get(message["topic"])
            if handler:
                handler(message["payload"])
        elif message["to"] != self.overlay.rank:
            self.pass_on(message)
        elif message["t"] == "response":
            self.overlay.forget(message)
            self.receive_answer(message)
        else:
            self.receive_request(message)

    def pass_on(self, message: dict) -> None:
        if message["t"] == "response":
            self.overlay.forget(message)
            self.overlay.route(message)
        elif not self.overlay.route(message) and not message.get("noreply"):
            self.overlay.route(
                {
                    "t": "response",
                    "to": message["from"],
                    "from": self.overlay.rank,
                    "id": message["id"],
                    "errnum": errno.EHOSTUNREACH,
                    "error": "No route to host",
                }
            )

    def receive_answer(self, message: dict) -> None:
        more = bool(message.get("more"))
        answer = self.pending.get(message["id"]) if more else self.pending.pop(message["id"], None)
        if answer:
            error = RpcError(message["errnum"], message.get("error", "")) if "errnum" in message else None
            answer(message.get("payload"), error, more)

    def receive_request(self, message: dict) -> None:
        key = (message["from"], message["id"])
        if message["topic"] == "broker.cancel":
            request = self.serving.pop(key, None)
            if request:
                request.cancel()
            return

        def answer(payload: dict | None, error: RpcError | None, more: bool) -> None:
            if not more:
                self.serving.pop(key, None)
            if message.get("noreply"):
                return
            reply: dict = {"t": "response", "to": key[0], "from": self.overlay.rank, "id": key[1], "more": more}
            if error:
                reply |= {"errnum": error.errnum, "error": error.text}
            else:
                reply["payload"] = payload
            self.overlay.route(reply)

        request = Request(message["topic"], message["payload"], answer)
        self.serving[key] = request
        self.call(request)

    def publish(self, topic: str, payload: dict) -> None:
        """Publishes an event to all brokers. Only rank 0 publishes."""
        message = {"t": "event", "topic": topic, "payload": payload}
        self.receive(message)
        self.overlay.send_to_children(message)


class LocalServer:
    """The socket of `local-uri`. Each line is a request or an answer in JSON."""

    def __init__(self, path: str, switch: Switch, reactor: Reactor, allow_root: bool):
        self.path, self.switch, self.reactor, self.allow_root = path, switch, reactor, allow_root
        self.online = False
        self.on_denied: Callable[[int], None] = lambda uid: None
        if os.path.exists(path):
            os.unlink(path)
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_CLOEXEC)
        self.listener.bind(path)
        os.chmod(path, 0o777)
        self.listener.listen(128)
        reactor.watch(self.listener.fileno(), self.accept)
        self.clients: set[Client] = set()

    def accept(self) -> None:
        connection, _ = self.listener.accept()
        self.clients.add(Client(connection, self))

    def close(self) -> None:
        self.reactor.unwatch(self.listener.fileno())
        for client in list(self.clients):
            client.close()
        self.listener.close()
        with contextlib.suppress(OSError):
            os.unlink(self.path)


class Client:
    """One connection to the local socket. Only the instance's owner is served; root isn't, unless configured."""

    def __init__(self, connection: socket.socket, server: LocalServer):
        self.connection, self.server = connection, server
        self.buffer = b""
        self.unsent = bytearray()
        connection.setblocking(False)
        self.cancels: dict[int, Callable[[], None]] = {}
        uid = int.from_bytes(connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)[4:8], "little")
        allowed = uid == os.getuid() or (uid == 0 and server.allow_root)
        self.descriptor = connection.fileno()
        server.reactor.watch(self.descriptor, self.read)
        self.send({"errnum": 0 if allowed else errno.EPERM})
        if not allowed:
            server.on_denied(uid)
            server.reactor.post(self.close)

    def read(self) -> None:
        try:
            data = self.connection.recv(1 << 16)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self.close()
            return
        *lines, self.buffer = (self.buffer + data).split(b"\n")
        for line in lines:
            self.handle(json.loads(line))

    def handle(self, message: dict) -> None:
        number = message["id"]
        if not self.server.online and message["topic"] not in EARLY_TOPICS:
            self.send(
                {"id": number, "errnum": errno.EAGAIN, "error": "Upstream Flux broker is offline. Try again later."}
            )
            return
        if message["topic"] == "broker.cancel":
            cancel = self.cancels.pop(message["payload"]["id"], None)
            if cancel:
                cancel()
            return

        def answer(payload: dict | None, error: RpcError | None, more: bool) -> None:
            if not more:
                self.cancels.pop(number, None)
            if error:
                self.send({"id": number, "errnum": error.errnum, "error": error.text})
            else:
                self.send({"id": number, "payload": payload, "more": more})

        self.cancels[number] = lambda: None
        cancel = self.server.switch.ask(message.get("nodeid"), message["topic"], message["payload"], answer)
        if number in self.cancels:
            self.cancels[number] = cancel

    def send(self, message: dict) -> None:
        self.unsent += json.dumps(message).encode() + b"\n"
        self.flush()

    def flush(self) -> None:
        """Sends as much as the socket takes now, and the rest when the socket is writable again."""
        try:
            sent = self.connection.send(self.unsent) if self.unsent else 0
        except BlockingIOError:
            sent = 0
        except OSError:
            self.server.reactor.post(self.close)
            return
        del self.unsent[:sent]
        self.server.reactor.when_writable(self.descriptor, self.flush if self.unsent else None)

    def close(self) -> None:
        if self not in self.server.clients:
            return
        self.server.clients.discard(self)
        self.server.reactor.unwatch(self.descriptor)
        self.connection.close()
        cancels, self.cancels = self.cancels, {}
        for cancel in cancels.values():
            cancel()
