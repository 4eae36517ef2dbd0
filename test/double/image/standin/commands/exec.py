"""`flux exec`: run a command on ranks, outside of jobs. Checked: src/cmd/flux-exec.c."""

import base64
import os
import signal
import sys
import uuid

from standin.attach import Labelled
from standin.client import Client, connect
from standin.errors import Refusal, RpcError
from standin.idset import decode_idset, encode_idset
from standin.options import Options, Parsed

OPTIONS = Options(
    "flux-exec",
    "[--rank=IDSET] [--verbose] COMMAND...",
    "r/rank= x/exclude= d/dir= l/label-io n/noinput v/verbose q/quiet",
    "bg waitable attach label= service= setopt= stdin-flow= with-imp j/jobid= sign",
)


def targets(text: str | None, size: int) -> list[int]:
    """The ranks of `all` or of an idset."""
    if text is None or text == "all":
        return list(range(size))
    try:
        ranks = decode_idset(text)
    except ValueError:
        raise Refusal(f"flux-exec: failed to decode idset '{text}': Invalid argument") from None
    if any(rank >= size for rank in ranks):
        raise Refusal(f"flux-exec: One or more invalid --ranks specified: {text}")
    return ranks


class Execution:
    """One command on several ranks."""

    def __init__(self, client: Client, ranks: list[int], command: list[str], parsed: Parsed):
        self.client, self.ranks, self.parsed = client, ranks, parsed
        self.key = uuid.uuid4().hex
        self.codes: dict[int, int] = {}
        self.ended: dict[int, int] = {}
        self.labelled = Labelled()
        env = {name: value for name, value in os.environ.items() if name != "FLUX_PROXY_REMOTE"}
        for rank in ranks:
            payload = {"key": self.key, "command": command, "env": env, "cwd": parsed.get("dir") or os.getcwd()}
            client.send("rexec.exec", payload, lambda *answer, rank=rank: self.answer(rank, *answer), rank)
        if not parsed.has("noinput"):
            client.read_input(sys.stdin.fileno(), self.send_input)
        else:
            self.send_input(b"")

    def tell_all(self, topic: str, payload: dict) -> None:
        for rank in self.ranks:
            if rank not in self.codes:
                self.client.send(topic, {"key": self.key, **payload}, lambda *_: None, rank)

    def send_input(self, data: bytes) -> None:
        self.tell_all("rexec.write", {"data": base64.b64encode(data).decode(), "last": not data})

    def answer(self, rank: int, payload: dict | None, error: RpcError | None) -> None:
        if error:
            text, _, code = error.text.partition("\0")
            self.codes[rank] = int(code or 68)
            print(f"flux-exec: Error: rank {rank}: {self.parsed.rest[0]}: {text}", file=sys.stderr)
        elif payload and "data" in payload:
            self.output(rank, payload["stream"], base64.b64decode(payload["data"]))
        elif payload:
            self.codes[rank] = payload["code"]
            self.ended[rank] = payload["code"]

    def output(self, rank: int, stream: str, data: bytes) -> None:
        if self.parsed.has("label-io"):
            self.labelled.write(rank, stream, data)
            return
        out = sys.stdout.buffer if stream == "stdout" else sys.stderr.buffer
        out.write(data)
        out.flush()

    def report(self) -> None:
        """Prints one line for each exit code, with its ranks."""
        for code in sorted(set(self.ended.values()) - {0}):
            ranks = encode_idset((rank for rank, found in self.ended.items() if found == code), brackets=True)
            how = signal.strsignal(code - 128) if code > 128 else f"Exit {code}"
            print(f"{ranks}: {how}", file=sys.stderr, flush=True)

    def interrupt(self, number: int, _frame: object) -> None:
        print(
            f"flux-exec: sending signal {number} to {len(self.ranks) - len(self.codes)} running processes",
            file=sys.stderr,
        )
        self.tell_all("rexec.kill", {"signum": number})

    def wait(self) -> int:
        signal.signal(signal.SIGINT, self.interrupt)
        signal.signal(signal.SIGTERM, self.interrupt)
        while len(self.codes) < len(self.ranks):
            self.client.wait()
        if not self.parsed.has("quiet"):
            self.report()
        return max(self.codes.values(), default=0)


def main(_name: str, args: list[str]) -> int:
    parsed = OPTIONS.parse(args)
    if not parsed.rest:
        OPTIONS.print_usage(sys.stderr)
        return 1
    client = connect("flux-exec: flux_open")
    size = int(client.call("attr.get", {"name": "size"})["value"])
    ranks = targets(parsed.get("rank"), size)
    if parsed.has("exclude"):
        excluded = targets(parsed.get("exclude"), size)
        ranks = [rank for rank in ranks if rank not in excluded]
    if not ranks:
        raise Refusal("flux-exec: No targets specified")
    try:
        return Execution(client, ranks, parsed.rest, parsed).wait()
    except RpcError as error:
        raise Refusal(f"flux-exec: {error.text}") from None
