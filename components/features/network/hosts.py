"""Keeps the names of all ranks in this pod's hosts file (network: "hosts"), as long as the pod lives.

Each rank tells rank 0 its address, through rank 0's Service, whose address is in the hosts file from the start; rank 0
tells each rank what it knows, and then each change. So a rank that comes back with another address is found again,
also when nobody runs Pulumi. Both sides prove that they have the cluster's key. The addresses are no secret.
Prints one line when the addresses of a quorum are known."""
import hashlib
import hmac
import json
import os
import re
import secrets
import socket
import socketserver
import sys
import threading
import time

HEARTBEAT_SECONDS = 10
SILENCE_SECONDS = 25
# Longer than TCP's first retransmission, for networks that drop what has no endpoint yet.
CONNECT_SECONDS = 1.3
PAUSE_SECONDS = 0.25
HANDSHAKE_SECONDS = 10
LONGEST_LINE = 1 << 24
MARK = "# The ranks, by minicluster:"

RANK = int(os.environ["JOB_COMPLETION_INDEX"])
ADDRESS = os.environ["MINICLUSTER_ADDRESS"]
PORT = int(os.environ["MINICLUSTER_HOSTS_PORT"])
QUORUM = int(os.environ["MINICLUSTER_QUORUM"])


def say(text):
    print(f"minicluster: {text}", file=sys.stderr, flush=True)


def shared_key():
    with open(os.environ["MINICLUSTER_CERTIFICATE"], encoding="utf-8") as file:
        return hashlib.sha256(re.search(r'secret-key\s*=\s*"(.*)"', file.read()).group(1).encode()).digest()


KEY = shared_key()


def proof(*parts):
    return hmac.new(KEY, json.dumps(parts, sort_keys=True).encode(), "sha256").hexdigest()


def proves(message, *parts):
    return hmac.compare_digest(str(message.get("proof")), proof(*parts))


def send(stream, message):
    stream.write(json.dumps(message).encode() + b"\n")
    stream.flush()


def receive(stream):
    line = stream.readline(LONGEST_LINE)
    if not line.endswith(b"\n"):
        raise ConnectionError("the connection ended")
    return json.loads(line.decode())


def addresses_in(lines):
    """What Hosts.write() has written, among lines that a hook may have added."""
    words = (line.split() for line in lines.splitlines())
    known = ((word[2].rpartition("-")[2], word[0]) for word in words if len(word) == 3)
    return {rank: address for rank, address in known if rank.isdigit()}


class Hosts:
    """The addresses that are known here, and the hosts file."""

    def __init__(self):
        self.path = os.environ["MINICLUSTER_HOSTS"]
        with open(self.path, encoding="utf-8") as file:
            self.base, _, known = file.read().partition(MARK)
        self.changed = threading.Condition()
        # What an earlier life of this program knew: no name may be missing until it is told anew.
        self.addresses = addresses_in(known)
        # The ranks in the order of their changes. Its length is the version of what is known.
        self.changes = list(self.addresses)
        self.ready = False
        self.missing = None

    def update(self, addresses):
        with self.changed:
            new = [rank for rank, address in addresses.items() if self.addresses.get(rank) != address]
            if new:
                self.addresses.update(addresses)
                self.changes += new
                self.write()
                self.changed.notify_all()
            self.tell()

    def write(self):
        """In place, because the file is a mount of its own; longer first, so that no reader misses a name."""
        cluster, domain = os.environ["MINICLUSTER_CLUSTER"], os.environ["MINICLUSTER_SUBDOMAIN"]
        ranks = sorted((int(rank), address) for rank, address in self.addresses.items())
        lines = [f"{address}\t{cluster}-{rank}.{domain} {cluster}-{rank}\n" for rank, address in ranks]
        text = (self.base + MARK + "\n" + "".join(lines)).encode()
        descriptor = os.open(self.path, os.O_WRONLY)
        try:
            os.pwrite(descriptor, text, 0)
            os.ftruncate(descriptor, len(text))
        finally:
            os.close(descriptor)

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

    def wait(self, version):
        """What has changed since that version, as soon as something has; nothing after some time without a change."""
        with self.changed:
            self.changed.wait_for(lambda: len(self.changes) > version, HEARTBEAT_SECONDS)
            return len(self.changes), {rank: self.addresses[rank] for rank in self.changes[version:]}


class Follower(socketserver.StreamRequestHandler):
    """Rank 0's side of a connection."""

    timeout = HANDSHAKE_SECONDS

    def handle(self):
        hosts = self.server.hosts
        challenge = secrets.token_hex(16)
        send(self.wfile, {"challenge": challenge})
        hello = receive(self.rfile)
        rank, address, theirs = str(int(hello["rank"])), str(hello["address"]), str(hello["challenge"])
        if not proves(hello, challenge, theirs, rank, address):
            return
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

    def __init__(self, hosts):
        self.hosts = hosts
        super().__init__(("", PORT), Follower)

    def handle_error(self, request, client_address):
        """A rank that goes or speaks nonsense is its own business."""


def follow(hosts):
    with socket.create_connection((os.environ["MINICLUSTER_LEAD"], PORT), CONNECT_SECONDS) as connection:
        connection.settimeout(SILENCE_SECONDS)
        stream = connection.makefile("rwb")
        theirs, challenge = str(receive(stream)["challenge"]), secrets.token_hex(16)
        hello = {"rank": RANK, "address": ADDRESS, "challenge": challenge}
        send(stream, {**hello, "proof": proof(theirs, challenge, str(RANK), ADDRESS)})
        last = 0
        while True:
            message = receive(stream)
            # One that is left out would be missed for ever.
            if not (message["count"] == last + 1 and proves(message, challenge, message["count"], message["addresses"])):
                raise ConnectionError("whoever answers for rank 0 hasn't the cluster's key")
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
