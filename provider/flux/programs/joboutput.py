"""Reads the output of jobs from Flux' key-value store, a part at a time.

`flux job attach` and `flux kvs get` make the broker hold all of an output at once, at several bytes for each byte: a
large output then costs the lead its memory, and the cluster all its jobs. The store keeps an output in many parts and
lists them, so the last parts can be read alone, and all parts one after the other.
"""

import base64
import collections.abc
import json
import subprocess

import flux.job

# Parts that are read at a time, if the parts before them were small. Flux writes a part of some MB at most every 0.5 s.
PARTS = 32
# Bytes that are read at a time, as far as the sizes of the parts before them tell.
BYTES = 4 * 2**20
# What an event has besides its text, in bytes.
FRINGE = 200
# The words of `flux job attach` for the level of a message.
LEVELS = {0: "FATAL", 1: "FATAL", 2: "FATAL", 3: "ERROR", 4: " WARN", 6: "DEBUG", 7: "TRACE"}
MISSING = "No such file or directory"


class Unreadable(Exception):
    """Flux doesn't give the output. The text is that of Flux."""


def run(*words: str) -> bytes:
    """The standard output of a command of Flux."""
    done = subprocess.run(["flux", *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode != 0:
        why = last_line(done.stderr.decode("utf-8", "replace"))
        raise Unreadable(why or f"flux {words[0]} ended with {done.returncode}")
    return done.stdout


def last_line(text: str) -> str:
    return text.strip().split("\n")[-1]


def events_in(log: str) -> "list[dict]":
    """The events of a log. `splitlines` also splits at characters that a text in an event may have."""
    return [json.loads(line) for line in log.split("\n") if line]


class Output:
    """The output of one job."""

    def __init__(self, jobid: int):
        self.id = flux.job.JobID(jobid)
        # When the job was submitted.
        self.begin = 0.0
        # Messages on exceptions, in their order.
        self.exceptions: list[bytes] = []
        self.is_over = False
        # How far the program has said it is: the last memo of progress.sh.
        self.progress = ""

    def look(self):
        """Reads the job's events."""
        self.take(run("job", "eventlog", "--format=json", self.id.f58plain).decode("utf-8", "replace"))

    def take(self, log: str):
        """Takes the job's events, one in a line."""
        events = events_in(log)
        self.begin = events[0]["timestamp"]
        self.exceptions = [self.message_of(event) for event in events if event["name"] == "exception"]
        self.is_over = any(event["name"] == "clean" for event in events)
        memos = [event["context"] for event in events if event["name"] == "memo"]
        self.progress = ([""] + [str(memo["progress"]) for memo in memos if "progress" in memo])[-1]

    def message_of(self, event: dict) -> bytes:
        context = event["context"]
        what = f"type={context['type']} severity={context['severity']} {context.get('note', '')}"
        return f"{self.moment(event)}: job.exception {self.id.f58plain} {what}\n".encode()

    def moment(self, event: dict) -> str:
        return f"{event['timestamp'] - self.begin:.3f}s"

    def parts(self) -> "list[str | bytes]":
        """The parts of the output: the names of those that are to be loaded, or a short output itself."""
        try:
            tree = json.loads(run("kvs", "get", "--treeobj", f"{self.id.kvs}.guest.output"))
        except Unreadable as error:
            # A job without tasks has no output.
            if MISSING in str(error):
                return []
            raise
        if tree["type"] == "valref":
            return list(tree["data"])
        return [base64.b64decode(tree["data"])]

    def pieces(self, parts: "list[str | bytes]") -> "collections.abc.Iterator[tuple[str, bytes]]":
        """The stream and the text of each event of some parts that has a text."""
        return (piece for piece in self.pieces_of_all(parts) if piece)

    def pieces_of_all(self, parts: "list[str | bytes]") -> "collections.abc.Iterator[tuple[str, bytes] | None]":
        """The stream and the text of each event of some parts, or None for an event without a text."""
        for line in lines_of(parts):
            try:
                yield self.piece_of(json.loads(line))
            except (KeyError, TypeError, ValueError) as error:
                raise Unreadable(f"it has an event that is none of Flux' ({error})") from error

    def piece_of(self, event: dict) -> "tuple[str, bytes] | None":
        context = event["context"]
        if event["name"] == "data" and context.get("data"):
            return context["stream"], decode(context)
        if event["name"] == "redirect":
            return "stderr", f"{context['rank']}: {context['stream']} redirected{target_of(context)}\n".encode()
        return ("stderr", self.line_of(event, context)) if event["name"] == "log" else None

    def line_of(self, event: dict, context: dict) -> bytes:
        shell = "flux-shell" + (f"[{context['rank']}]" if context.get("rank", -1) >= 0 else "")
        words = [shell, LEVELS.get(context["level"]), context.get("component"), context["message"]]
        return f"{self.moment(event)}: {': '.join(word for word in words if word)}\n".encode()


def decode(context: dict) -> bytes:
    if context.get("encoding") == "base64":
        return base64.b64decode(context["data"])
    return context["data"].encode("utf-8", "surrogatepass")


def target_of(context: dict) -> str:
    return f" to {context['path']}" if context.get("path") else ""


def lines_of(parts: "list[str | bytes]") -> "collections.abc.Iterator[bytes]":
    """The lines of some parts, one at a time, because parts may be large."""
    names = [part for part in parts if isinstance(part, str)]
    if not names:
        yield from b"".join(part for part in parts if isinstance(part, bytes)).splitlines()
        return
    count, error = 0, ""
    # Past the cache, which would keep all parts for a while. Parts that are not stored yet are in the cache only.
    for options in (["--bypass-cache"], []):
        with subprocess.Popen(
            ["flux", "content", "load", *options, *names],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        ) as loading:
            for number, line in enumerate(loading.stdout or ()):
                if number >= count:
                    count += 1
                    yield line
            error = loading.stderr.read().decode("utf-8", "replace") if loading.stderr else ""
        if loading.returncode == 0:
            return
    raise Unreadable(last_line(error) or f"flux content ended with {loading.returncode}")


class Chunks:
    """How many parts to read next, by the sizes of those before."""

    def __init__(self):
        self.next = 1

    def learn(self, count: int, size: int):
        self.next = max(1, min(PARTS, 2 * self.next, count * BYTES // max(size, 1)))


class End:
    """The last bytes of what is added."""

    def __init__(self, most: int):
        self.most = most
        self.pieces: list[bytes] = []
        self.size = 0
        # What has been added, with the fringes of the events.
        self.added = 0

    def add(self, piece: bytes):
        self.pieces.append(piece)
        self.size += len(piece)
        self.added += len(piece) + FRINGE
        if self.size > 2 * self.most + BYTES:
            self.pieces = [self.text()]
            self.size = len(self.pieces[0])

    def text(self) -> bytes:
        return b"".join(self.pieces)[-self.most :] if self.most > 0 else b""


def read_end(jobid: int, most: int) -> bytes:
    """The last bytes of the output of a finished job."""
    output = Output(jobid)
    output.look()
    return end_of(output, most)


def end_of(output: Output, most: int) -> bytes:
    chunks, text, left = Chunks(), b"", output.parts()
    while left and len(text) < most:
        part = left[-chunks.next :]
        del left[-chunks.next :]
        end = End(most - len(text))
        for _, piece in output.pieces(part):
            end.add(piece)
        chunks.learn(len(part), end.added)
        text = end.text() + text
    missing = most - len(text)
    return (b"".join(output.exceptions)[-missing:] if missing > 0 else b"") + text
