"""`flux relay`: messages of RFC 3 on stdin and stdout. Only rank 0 can be asked.

Checked: src/cmd/builtin/relay.c, src/common/librouter/{sendfd,usock}.c, src/common/libflux/message{,_proto}.c."""

import json
import os
import struct
import sys
from collections.abc import Iterator

from standin.client import Client, ConnectError
from standin.errors import Refusal, RpcError
from standin.options import Options
from standin.translated import TRANSLATED

OPTIONS = Options("flux-relay", "[OPTIONS] path", "")
MAGIC = struct.pack("<I", 0xFFEE0012)
PROTO_MAGIC, VERSION, REQUEST, RESPONSE = 0x8E, 1, 1, 2
TOPIC, PAYLOAD = 1, 2
STDIN, STDOUT = 0, 1


def main(_: str, args: list[str]) -> int:
    parsed = OPTIONS.parse(args)
    if len(parsed.rest) != 1:
        raise Refusal("flux-relay: path argument is required")
    try:
        client = Client(f"local://{parsed.rest[0]}")
    except ConnectError as error:
        raise Refusal(f"flux-relay: local://{parsed.rest[0]}: {os.strerror(error.errnum)}") from None
    # As after the greeting of a broker: the client is accepted.
    os.write(STDOUT, b"\0")
    relay = Relay(client)
    client.read_input(STDIN, relay.feed)
    while client.inputs:
        try:
            client.wait()
        except RpcError:
            break
    return 0


class Relay:
    def __init__(self, client: Client):
        self.client = client
        self.received = b""

    def feed(self, data: bytes) -> None:
        self.received += data
        while len(self.received) >= 8:
            size = 8 + int.from_bytes(self.received[4:8], "big")
            if not self.received.startswith(MAGIC):
                sys.exit("flux-relay: client error: Protocol error")
            if len(self.received) < size:
                return
            message, self.received = self.received[8:size], self.received[size:]
            self.serve(message)

    def serve(self, message: bytes) -> None:
        *_, topic, payload, proto = frames(message)
        magic, version, kind, flags, _, _, _, tag = struct.unpack(">4B4I", proto)
        if (magic, version, kind, flags) != (PROTO_MAGIC, VERSION, REQUEST, TOPIC | PAYLOAD):
            sys.exit("flux-relay: stand-in: only requests with a topic and a payload are implemented here")
        request = json.loads(payload.removesuffix(b"\0"))
        try:
            translate = TRANSLATED.get(topic.decode())
            found = translate(self.client, request) if translate else self.client.call(topic.decode(), request, 0)
        except RpcError as error:
            self.answer(topic, error.text.encode() + b"\0", error.errnum, tag)
        else:
            self.answer(topic, json.dumps(found, separators=(",", ":")).encode() + b"\0", 0, tag)

    @staticmethod
    def answer(topic: bytes, payload: bytes, errnum: int, tag: int) -> None:
        proto = struct.pack(">4B4I", PROTO_MAGIC, VERSION, RESPONSE, TOPIC | PAYLOAD, os.getuid(), 1, errnum, tag)
        message = frame(topic) + frame(payload) + frame(proto)
        rest = MAGIC + len(message).to_bytes(4, "big") + message
        while rest:
            rest = rest[os.write(STDOUT, rest) :]


def frame(data: bytes) -> bytes:
    size = bytes([len(data)]) if len(data) < 0xFF else b"\xff" + len(data).to_bytes(4, "big")
    return size + data


def frames(message: bytes) -> Iterator[bytes]:
    while message:
        size, start = message[0], 1
        if size == 0xFF:
            size, start = int.from_bytes(message[1:5], "big"), 5
        yield message[start : start + size]
        message = message[start + size :]
