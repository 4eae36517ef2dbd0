"""Keeps the names of all ranks in this pod's hosts file (network: "hosts") until the pod ends.

Each rank sends its address to rank 0 through rank 0's Service, whose address is in the hosts file from the start.
Rank 0 sends all known addresses to each rank, and then each change. So a recreated pod with another address is found
again, even if Pulumi doesn't run. Both sides prove that they have the cluster's key. The addresses are not secret.
A client without the key can't take much: its time, its first line and the number of such connections are limited.
Prints one line when the addresses of a quorum are known."""

import contextlib
import hashlib
import hmac
import io
import json
import os
import re
import secrets
import socket
import socketserver
import sys
import threading
import time
import typing

HEARTBEAT_SECONDS = 10
SILENCE_SECONDS = 25
# Longer than TCP's first retransmission: some networks drop packets to a Service that has no endpoint yet.
CONNECT_SECONDS = 1.3
PAUSE_SECONDS = 0.25
HANDSHAKE_SECONDS = 10
# Of a side that has not proved yet that it has the key.
FIRST_LINE = 1 << 12
LONGEST_LINE = 1 << 24
# Connections without a proof: all ranks may connect at once, and again before their last connections have ended.
UNPROVEN = 2 * int(os.environ["MINICLUSTER_RANKS"]) + 64
MARK = "# The ranks, by minicluster:"
END = "# The end of the ranks."
CLUSTER, DOMAIN = os.environ["MINICLUSTER_CLUSTER"], os.environ["MINICLUSTER_SUBDOMAIN"]
LINE = rf"(\S+)\t{re.escape(CLUSTER)}-(\d+)\.{re.escape(DOMAIN)} {re.escape(CLUSTER)}-\2"
OWN = re.compile(f"^(?:{MARK}|{END}|{LINE})(?:\n|$)", re.MULTILINE)

RANK = int(os.environ["JOB_COMPLETION_INDEX"])
ADDRESS = os.environ["MINICLUSTER_ADDRESS"]
PORT = int(os.environ["MINICLUSTER_HOSTS_PORT"])
QUORUM = int(os.environ["MINICLUSTER_QUORUM"])


def say(text: str):
    print(f"minicluster: {text}", file=sys.stderr, flush=True)


def shared_key():
    with open(os.environ["MINICLUSTER_CERTIFICATE"], encoding="utf-8") as file:
        found = re.search(r'secret-key\s*=\s*"(.*)"', file.read())
    if found is None:
        raise SystemExit("minicluster: the certificate has no secret key")
    return hashlib.sha256(found.group(1).encode()).digest()


KEY = shared_key()


def proof(*parts: object):
    return hmac.new(KEY, json.dumps(parts, sort_keys=True).encode(), "sha256").hexdigest()


def proves(message: dict, *parts: object):
    return hmac.compare_digest(str(message.get("proof")), proof(*parts))


def send(stream: io.BufferedIOBase, message: dict):
    stream.write(json.dumps(message).encode() + b"\n")
    stream.flush()


def receive(stream: io.BufferedIOBase, longest: int = LONGEST_LINE):
    line = stream.readline(longest)
    if not line.endswith(b"\n"):
        raise ConnectionError("the connection ended, or its line is too long")
    return json.loads(line.decode())


def parts_of(text: str):
    """The hosts file in three parts: the lines of this program, and those of others before and after its first line.
    A hook or a job may have removed the marks, so each line counts by its form."""
    start = next((line.start() for line in OWN.finditer(text)), len(text))
    return text[:start], "".join(line.group() for line in OWN.finditer(text)), OWN.sub("", text[start:])


def addresses_in(lines: str):
    """The addresses that Hosts.write() wrote."""
    return {rank: address for address, rank in re.findall(LINE, lines)}


class Hosts:
    """The addresses that this rank knows, and the hosts file."""

    def __init__(self):
        self.path = os.environ["MINICLUSTER_HOSTS"]
        self.changed = threading.Condition()
        # The addresses that this program had written before it was restarted: no name may be missing meanwhile.
        self.addresses = addresses_in(parts_of(self.read())[1])
        # The ranks in the order of their changes. The length of the list is the version of the addresses.
        self.changes = list(self.addresses)
        self.ready = False
        self.missing = None

    def update(self, addresses: dict):
        with self.changed:
            new = [rank for rank, address in addresses.items() if self.addresses.get(rank) != address]
            if new:
                known = {**self.addresses, **addresses}
                self.write(known)
                # Only now: the next update repeats a write that has failed, for example on a full disk.
                self.addresses = known
                self.changes += new
                self.changed.notify_all()
            self.tell()

    def read(self):
        with open(self.path, encoding="utf-8", errors="surrogateescape") as file:
            return file.read()

    def write(self, known: dict):
        """Replaces the lines of this program, because a hook or a job may have changed the others meanwhile.
        Writes in place, because the file itself is a mount, and cuts it last, so that no reader misses a name."""
        ranks = sorted((int(rank), address) for rank, address in known.items())
        lines = [f"{address}\t{CLUSTER}-{rank}.{DOMAIN} {CLUSTER}-{rank}\n" for rank, address in ranks]
        before, _, after = parts_of(self.read())
        before += "" if before.endswith("\n") else "\n"
        text = "".join([before, MARK, "\n", *lines, END, "\n", after]).encode(errors="surrogateescape")
        with open(self.path, "r+b") as file:
            file.write(text)
            file.truncate()

    def tell(self):
        if self.ready:
            return
        missing = max(QUORUM - len(self.addresses), 0)
        if missing == 0 and {"0", str(RANK)} <= set(self.addresses):
            self.ready = True
            print("ready", flush=True)
        elif missing != self.missing:
            self.missing = missing
            say(f"waits for the addresses of {missing} more ranks")

    def wait(self, version: int):
        """Waits for a change since this version, at most HEARTBEAT_SECONDS. Returns the new version and the changes."""
        with self.changed:
            self.changed.wait_for(lambda: len(self.changes) > version, HEARTBEAT_SECONDS)
            return len(self.changes), {rank: self.addresses[rank] for rank in self.changes[version:]}


class Follower(socketserver.StreamRequestHandler):
    """Rank 0's end of a connection."""

    timeout = HANDSHAKE_SECONDS

    def handle(self):
        assert isinstance(self.server, Server)
        hosts = self.server.hosts
        challenge = secrets.token_hex(16)
        send(self.wfile, {"challenge": challenge})
        hello = receive(self.rfile, FIRST_LINE)
        rank, address, theirs = str(int(hello["rank"])), str(hello["address"]), str(hello["challenge"])
        if not proves(hello, challenge, theirs, rank, address):
            return
        self.server.trust(self.request)
        socket.inet_pton(socket.AF_INET6 if ":" in address else socket.AF_INET, address)
        hosts.update({rank: address})
        version, count = 0, 0
        while True:
            version, addresses = hosts.wait(version)
            count += 1
            send(self.wfile, {"addresses": addresses, "count": count, "proof": proof(theirs, count, addresses)})


class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True
    request_queue_size = 1024
    address_family = socket.AF_INET6 if ":" in ADDRESS else socket.AF_INET

    def __init__(self, hosts: Hosts):
        self.hosts = hosts
        # Connections without a proof, with the time of their start. The oldest one is the first.
        self.unproven = {}
        super().__init__(("", PORT), Follower)

    def process_request(self, request: typing.Any, client_address: object):
        """A full table drops its oldest connection: a rank proves in some milliseconds that it has the key."""
        for oldest in list(self.unproven)[: max(len(self.unproven) - UNPROVEN + 1, 0)]:
            self.drop(oldest)
        self.unproven[request] = time.monotonic()
        super().process_request(request, client_address)

    def service_actions(self):
        for request, since in list(self.unproven.items()):
            if time.monotonic() - since > HANDSHAKE_SECONDS:
                self.drop(request)

    def drop(self, request: socket.socket):
        """Ends a connection, and so its thread."""
        self.trust(request)
        with contextlib.suppress(OSError):
            request.shutdown(socket.SHUT_RDWR)

    def trust(self, request: socket.socket):
        self.unproven.pop(request, None)

    def shutdown_request(self, request: typing.Any):
        self.trust(request)
        super().shutdown_request(request)

    def handle_error(self, request: object, client_address: object):
        """Errors of one connection are not rank 0's: the rank has gone, or has sent something invalid."""


def follow(hosts: Hosts):
    with socket.create_connection((os.environ["MINICLUSTER_LEAD"], PORT), CONNECT_SECONDS) as connection:
        connection.settimeout(SILENCE_SECONDS)
        stream = connection.makefile("rwb")
        theirs, challenge = str(receive(stream, FIRST_LINE)["challenge"]), secrets.token_hex(16)
        hello = {"rank": RANK, "address": ADDRESS, "challenge": challenge}
        send(stream, {**hello, "proof": proof(theirs, challenge, str(RANK), ADDRESS)})
        last = 0
        while True:
            message = receive(stream)
            # Each message has only the changes since the one before, so none may be left out.
            if not (
                message["count"] == last + 1 and proves(message, challenge, message["count"], message["addresses"])
            ):
                raise ConnectionError("the server doesn't have the cluster's key")
            last += 1
            hosts.update(message["addresses"])


def main():
    hosts = Hosts()
    hosts.update({str(RANK): ADDRESS})
    if RANK == 0:
        Server(hosts).serve_forever()
    while True:
        try:
            follow(hosts)
        except (OSError, ValueError, KeyError, TypeError):
            time.sleep(PAUSE_SECONDS)


main()
