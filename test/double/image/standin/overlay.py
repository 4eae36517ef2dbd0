"""The tree of brokers: CURVE sockets, hello and goodbye, routing, lost children.

Checked: src/modules/overlay/{overlay,children,parent,ovconf,boot_config}.c. As there, a broker notices a lost child
when a message can't be delivered (ROUTER_MANDATORY; each heartbeat is such a message). A new parent at an old address
answers an unknown child with "disconnect".
"""

import errno
import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field

import zmq
from zmq.utils import z85

from . import log
from .attributes import Attributes
from .bootstrap import Bootstrap
from .certificate import Certificate, load_certificate
from .duration import format_duration
from .errors import Refusal
from .overlay_config import configure, seconds
from .reactor import Reactor
from .topology import create_topology
from .version import version_text

ZAP_ENDPOINT = "inproc://zeromq.zap.01"
ONLINE = ("full", "partial", "degraded")
HEARTBEAT_CHECK_SECONDS = 1.0


@dataclass
class Child:
    """The state of one child."""

    rank: int
    uuid: str = ""
    status: str = "offline"
    since: float = field(default_factory=time.monotonic)
    error: str = ""
    torpid: bool = False
    last_seen: float = 0.0
    forwarded: set[tuple[int, int]] = field(default_factory=set)

    @property
    def online(self) -> bool:
        return self.status in ONLINE


class Overlay:
    """The sockets of one broker, its parent and its children."""

    def __init__(self, boot: Bootstrap, attributes: Attributes, config: dict, reactor: Reactor, logs: log.Log):
        self.boot, self.attributes, self.reactor, self.logs = boot, attributes, reactor, logs
        self.rank = boot.rank
        self.uuid = str(attributes.get("broker.uuid"))
        configure(attributes, config)
        self.topology = create_topology(str(attributes.get("tbon.topo")), boot.hosts)
        self.children = {rank: Child(rank) for rank in self.topology.children(self.rank)}
        self.status = "partial" if self.children else "full"
        self.since = time.monotonic()
        self.context = zmq.Context(io_threads=int(attributes.get("tbon.zmq_io_threads") or 1) if self.rank == 0 else 1)
        self.router: zmq.Socket | None = None
        self.dealer: zmq.Socket | None = None
        self.parent_answered = self.parent_offline = self.goodbye_sent = False
        self.parent_forwarded: set[tuple[int, int]] = set()
        self.last_sent = 0.0
        self.spurn_hello = False
        self.on_message: Callable[[dict], None] = lambda message: None
        self.on_child_change: Callable[[Child], None] = lambda child: None
        self.on_parent_state: Callable[[str], None] = lambda state: None
        self.on_parent_lost: Callable[[], None] = lambda: None
        self.on_goodbye_answer: Callable[[], None] = lambda: None
        self.state_for_children = "join"
        self.certificate = self.read_certificate()
        self.set_attributes()
        if self.children:
            self.bind()

    def read_certificate(self) -> Certificate | None:
        if not self.boot.curve_cert:
            return None
        try:
            return load_certificate(self.boot.curve_cert)
        except Refusal as refusal:
            raise Refusal(f"Error loading certificate: {refusal.message}", errnum=refusal.errnum) from None

    def set_attributes(self) -> None:
        attributes, topology = self.attributes, self.topology
        attributes.set("tbon.level", str(topology.level(self.rank)))
        attributes.set("tbon.maxlevel", str(topology.max_level()))
        attributes.set("tbon.descendants", str(len(topology.descendants(self.rank))))

    def name_of(self, rank: int) -> str:
        return self.boot.hosts[rank]["host"]

    def bind(self) -> None:
        """Listens for children. Only brokers with the same key are accepted."""
        host = self.boot.hosts[self.rank]
        if "bind" not in host:
            raise Refusal(f"bind URI is undefined for rank {self.rank}", errnum=errno.ENOENT)
        assert self.certificate
        self.start_authentication()
        router = self.router = self.context.socket(zmq.ROUTER)
        router.setsockopt(zmq.ROUTER_MANDATORY, 1)
        router.setsockopt(zmq.CURVE_SERVER, 1)
        self.set_common_options(router)
        try:
            router.bind(host["bind"])
        except zmq.ZMQError as error:
            raise Refusal(f"error binding to {host['bind']}: {error.strerror}", errnum=error.errno or 0) from None
        if "connect" not in host:
            raise Refusal(f"connect URI is undefined for rank {self.rank}", errnum=errno.ECONNRESET)
        self.attributes.set("tbon.endpoint", host["connect"])
        self.reactor.watch(router, self.receive_from_children)

    def set_common_options(self, socket: zmq.Socket) -> None:
        assert self.certificate
        socket.setsockopt(zmq.SNDHWM, 0)
        socket.setsockopt(zmq.RCVHWM, 0)
        socket.setsockopt(zmq.LINGER, 5)
        socket.setsockopt(zmq.IPV6, int(self.boot.enable_ipv6))
        socket.setsockopt(zmq.ZAP_DOMAIN, b"flux")
        socket.curve_publickey = self.certificate.public.encode()
        socket.curve_secretkey = self.certificate.secret.encode()
        timeout = seconds(self.attributes, "tcp_user_timeout")
        if timeout > 0:
            socket.setsockopt(zmq.TCP_MAXRT, int(timeout * 1000))

    def start_authentication(self) -> None:
        """Answers ZAP requests (RFC 27). The only accepted key is this broker's."""
        zap = self.zap = self.context.socket(zmq.REP)
        zap.setsockopt(zmq.LINGER, 0)
        zap.bind(ZAP_ENDPOINT)
        self.reactor.watch(zap, self.answer_authentication)

    def answer_authentication(self) -> None:
        version, sequence, _domain, address, _identity, mechanism, *credentials = self.zap.recv_multipart()
        assert self.certificate
        known = mechanism == b"CURVE" and credentials and z85.encode(credentials[0]).decode()
        good = known == self.certificate.public
        if not good:
            self.logs.write("overlay", log.ERR, f"CURVE authentication of {address.decode()} failed")
        self.zap.send_multipart(
            [version, sequence, b"200" if good else b"400", b"OK" if good else b"No access", b"", b""]
        )

    def connect(self) -> None:
        """Connects to the parent and sends one hello. ZeroMQ tries until the parent is reachable."""
        if self.rank == 0:
            return
        parent = self.topology.parents[self.rank]
        host = self.boot.hosts[parent]
        if "connect" not in host:
            raise Refusal(f"connect URI is undefined for rank {parent}", errnum=errno.ENOENT)
        assert self.certificate
        dealer = self.dealer = self.context.socket(zmq.DEALER)
        dealer.setsockopt(zmq.IDENTITY, self.uuid.encode())
        self.set_common_options(dealer)
        dealer.curve_serverkey = self.certificate.public.encode()
        timeout = seconds(self.attributes, "connect_timeout")
        if timeout > 0:
            dealer.setsockopt(zmq.CONNECT_TIMEOUT, int(timeout * 1000))
        try:
            dealer.connect(host["connect"])
        except zmq.ZMQError as error:
            raise Refusal(f"overlay_connect: {error.strerror}", errnum=error.errno or 0) from None
        self.attributes.set("tbon.parent-endpoint", host["connect"])
        self.reactor.watch(dealer, self.receive_from_parent)
        self.logs.write("overlay", log.DEBUG, f"connecting to {host['connect']}")
        self.send_to_parent(
            {
                "t": "hello",
                "rank": self.rank,
                "uuid": self.uuid,
                "status": self.status,
                "hostname": self.name_of(self.rank),
                "version": version_text(),
            }
        )

    def start(self) -> None:
        self.reactor.every(HEARTBEAT_CHECK_SECONDS, self.check_silence)

    def check_silence(self) -> None:
        """Sends a heartbeat to the parent, and marks children that were silent for too long as torpid."""
        if self.dealer and time.monotonic() - self.last_sent > seconds(self.attributes, "torpid_min"):
            self.send_to_parent({"t": "heartbeat"})
        limit = seconds(self.attributes, "torpid_max")
        for child in self.children.values():
            silence = time.monotonic() - child.last_seen
            torpid = child.online and 0 < limit <= silence
            if torpid != child.torpid:
                child.torpid = torpid
                how = f"has been unresponsive for {format_duration(silence)}" if torpid else "is responsive now"
                self.logs.write("overlay", log.ERR, f"broker on {self.name_of(child.rank)} (rank {child.rank}) {how}")
                self.on_child_change(child)

    def send_to_parent(self, message: dict) -> bool:
        if not self.dealer or self.parent_offline or self.goodbye_sent:
            return False
        self.dealer.send(json.dumps(message).encode())
        self.last_sent = time.monotonic()
        return True

    def send_to_child(self, child: Child, message: dict) -> bool:
        """Sends a message. If it can't be delivered, the child is lost."""
        if self.send_to_uuid(child.uuid, message):
            return True
        if child.online:
            below = len(self.topology.descendants(child.rank))
            more = f" and severed contact with {below} other nodes" if below else ""
            self.logs.write("overlay", log.ERR, f"{self.name_of(child.rank)} (rank {child.rank}) failed{more}")
            self.set_child_status(child, "lost", "lost connection")
        return False

    def send_to_uuid(self, uuid: str, message: dict) -> bool:
        assert self.router
        try:
            self.router.send_multipart([uuid.encode(), json.dumps(message).encode()])
            return True
        except zmq.ZMQError as error:
            if error.errno == errno.EHOSTUNREACH:
                return False
            raise

    def send_to_children(self, message: dict) -> None:
        for child in self.children.values():
            if child.online:
                self.send_to_child(child, message)

    def tell_children_state(self, state: str) -> None:
        self.state_for_children = state
        self.send_to_children({"t": "state", "state": state})

    def route(self, message: dict) -> bool:
        """Sends a message towards `message["to"]`. Saves requests, to answer them if the next hop is lost."""
        hop = self.topology.next_hop(self.rank, message["to"])
        key = (message["from"], message["id"])
        if hop in self.children:
            child = self.children[hop]
            if not child.online or not self.send_to_child(child, message):
                return False
            self.track(child.forwarded, message, key)
            return True
        if not self.send_to_parent(message):
            return False
        self.track(self.parent_forwarded, message, key)
        return True

    @staticmethod
    def track(forwarded: set[tuple[int, int]], message: dict, key: tuple[int, int]) -> None:
        if message["t"] == "request" and not message.get("noreply"):
            forwarded.add(key)

    def forget(self, message: dict) -> None:
        """Forgets a saved request when its last answer passes."""
        if not message.get("more"):
            key = (message["to"], message["id"])
            self.parent_forwarded.discard(key)
            for child in self.children.values():
                child.forwarded.discard(key)

    def fail_forwarded(self, forwarded: set[tuple[int, int]]) -> None:
        pending = sorted(forwarded)
        forwarded.clear()
        for source, number in pending:
            self.on_message(
                {
                    "t": "response",
                    "to": source,
                    "from": self.rank,
                    "id": number,
                    "errnum": errno.EHOSTUNREACH,
                    "error": "No route to host",
                }
            )

    def receive_from_children(self) -> None:
        assert self.router
        while True:
            try:
                uuid, raw = self.router.recv_multipart(zmq.NOBLOCK)
            except zmq.ZMQError:
                return
            message = json.loads(raw)
            child = next((c for c in self.children.values() if c.online and c.uuid == uuid.decode()), None)
            if not child:
                self.handle_stranger(uuid.decode(), message)
                continue
            child.last_seen = time.monotonic()
            if message["t"] == "status":
                self.set_child_status(child, message["status"], "")
            elif message["t"] == "goodbye":
                self.send_to_child(child, {"t": "goodbye-answer"})
                self.set_child_status(child, "offline", "administrative shutdown")
            elif message["t"] != "heartbeat":
                self.on_message(message)

    def handle_stranger(self, uuid: str, message: dict) -> None:
        """Accepts a hello until the clean-up. Answers all other messages with "disconnect"."""
        if message["t"] == "hello" and not self.spurn_hello:
            self.handle_hello(uuid, message)
        else:
            self.send_to_uuid(uuid, {"t": "disconnect"})

    def handle_hello(self, uuid: str, message: dict) -> None:
        rank, hostname = message["rank"], message["hostname"]
        problem = told = None
        if rank >= self.boot.size or hostname != self.name_of(rank):
            configured = self.name_of(rank) if rank < self.boot.size else "nobody"
            problem = f"{configured} is configured as rank {rank}: mismatched config?"
            told = "Invalid argument"
        elif rank not in self.children:
            problem = f"rank {rank} is not a child of rank {self.rank}: mismatched config?"
        elif message["version"].split(".")[:2] != version_text().split(".")[:2]:
            problem = f"client ({message['version']}) version mismatched with server ({version_text()})"
        if problem:
            self.logs.write("overlay", log.ERR, f"rejecting connection from {hostname} (rank {rank}): {problem}")
            self.send_to_uuid(uuid, {"t": "hello-answer", "error": told or problem})
            return
        child = self.children[rank]
        if child.online:
            self.logs.write(
                "overlay", log.ERR, f"{hostname} (rank {rank}) reconnected after crash, dropping old connection state"
            )
            self.set_child_status(child, "lost", "")
        child.uuid = uuid
        child.last_seen = time.monotonic()
        self.set_child_status(child, message["status"], "")
        self.logs.write(
            "overlay", log.DEBUG, f"accepting connection from {hostname} (rank {rank}) status {child.status}"
        )
        self.send_to_uuid(uuid, {"t": "hello-answer", "uuid": self.uuid, "state": self.state_for_children})

    def receive_from_parent(self) -> None:
        assert self.dealer
        while True:
            try:
                message = json.loads(self.dealer.recv(zmq.NOBLOCK))
            except zmq.ZMQError:
                return
            self.handle_parent_message(message)

    def handle_parent_message(self, message: dict) -> None:
        kind = message["t"]
        if kind == "hello-answer":
            self.parent_answered = True
            if "error" in message:
                self.logs.write("overlay", log.ERR, f"overlay.hello: {message['error']}")
                self.on_parent_lost()
            else:
                self.on_parent_state(message["state"])
        elif kind == "disconnect":
            parent = self.topology.parents[self.rank]
            self.lose_parent(f"{self.name_of(parent)} (rank {parent}) sent disconnect control message")
        elif kind == "state":
            self.on_parent_state(message["state"])
        elif kind == "goodbye-answer":
            self.on_goodbye_answer()
        else:
            if message["t"] == "event":
                self.send_to_children(message)
            self.on_message(message)

    def lose_parent(self, text: str) -> None:
        """Disconnects: the parent has sent "disconnect", or was silent for too long."""
        if self.parent_offline:
            return
        self.logs.write("overlay", log.CRIT, text)
        self.parent_offline = True
        assert self.dealer
        self.dealer.disconnect(self.boot.hosts[self.topology.parents[self.rank]]["connect"])
        self.fail_forwarded(self.parent_forwarded)
        self.on_parent_lost()

    def say_goodbye(self) -> None:
        """Leaves in order. Without a parent there is no answer to wait for."""
        problem = None
        if not self.parent_answered:
            problem = "cannot send overlay.goodbye because overlay.hello is still in progress"
        elif not self.send_to_parent({"t": "goodbye"}):
            problem = "error sending overlay.goodbye: No route to host"
        if problem:
            self.logs.write("overlay", log.ERR, problem)
            self.reactor.post(self.on_goodbye_answer)
        self.goodbye_sent = True

    def close(self) -> None:
        for socket in (self.router, self.dealer, getattr(self, "zap", None)):
            if socket:
                self.reactor.unwatch(socket)
                socket.close()
        self.context.term()

    def set_child_status(self, child: Child, status: str, error: str) -> None:
        child.error = error
        if child.status == status:
            return
        went_offline = child.online and status not in ONLINE
        child.status = status
        child.since = time.monotonic()
        if went_offline:
            child.torpid = False
            self.fail_forwarded(child.forwarded)
        self.update_status()
        self.on_child_change(child)

    def update_status(self) -> None:
        statuses = {child.status for child in self.children.values()}
        status = "full"
        if statuses & {"degraded", "lost"}:
            status = "degraded"
        elif statuses & {"partial", "offline"}:
            status = "partial"
        if status != self.status:
            self.status = status
            self.since = time.monotonic()
            self.send_to_parent({"t": "status", "status": status})

    def online_children(self) -> int:
        return sum(child.online for child in self.children.values())

    def health(self) -> dict:
        """The state of this broker and its children, for `flux overlay status`."""
        now = time.monotonic()
        return {
            "rank": self.rank,
            "status": self.status,
            "duration": now - self.since,
            "children": [
                {"rank": c.rank, "status": c.status, "duration": now - c.since, "error": c.error}
                for c in self.children.values()
            ],
        }
