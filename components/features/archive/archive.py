"""Checks that an archive can be restored: archive.py FILE.

Exits with 0 if the file is a complete dump of `flux dump`. Otherwise it prints the reason, and exits with 65 (the
content is damaged) or 74 (the file can't be read). The file is read as a stream, so its size needs no memory."""

import gzip
import io
import json
import sys
import zlib

DAMAGED = 65
UNREADABLE = 74
BLOCK = 512
CHUNK = 1 << 20
LONGEST_EVENT = 1 << 24
# Every instance of Flux has this key, from its first start.
EVENTS = b"resource/eventlog"
EVENTS_NAME = EVENTS.decode()


class Damage(Exception):
    """The error in the content. Its text follows the name of the file in a sentence."""


def content_of(file: io.BufferedReader):
    magic = file.read(2)
    file.seek(0)
    if not magic:
        raise Damage("is empty")
    # With a libarchive older than 3.2, Flux writes the tar file without compression.
    return io.BufferedReader(gzip.GzipFile(fileobj=file), CHUNK) if magic == b"\x1f\x8b" else file


def take(stream: io.BufferedIOBase, size: int):
    data = stream.read(size)
    if len(data) < size:
        raise Damage("is cut off")
    return data


def chunks(stream: io.BufferedIOBase, size: int):
    while size > 0:
        yield take(stream, min(size, CHUNK))
        size -= CHUNK


def number(field: bytes):
    """A number of a tar header: octal, or binary if the octal number is too long."""
    if field[0] & 0x80:
        return int.from_bytes(field[1:], "big")
    return int(field.rstrip(b"\0 ") or b"0", 8)


def size_in(header: bytes):
    checksum = header[148:156]
    try:
        if number(checksum) == sum(header) - sum(checksum) + 8 * ord(" "):
            return number(header[124:136])
    except ValueError:
        pass
    raise Damage("is not a tar file, or damaged in its middle")


def check_members(stream: io.BufferedIOBase):
    has_events = False
    while True:
        header = take(stream, BLOCK)
        # A tar file ends with two blocks of zeros.
        if not any(header):
            break
        size = size_in(header)
        if header[:100].rstrip(b"\0") == EVENTS and header[156:157] in (b"0", b"\0"):
            check_events(stream, size)
            has_events = True
            take(stream, -size % BLOCK)
        else:
            for _ in chunks(stream, size + -size % BLOCK):
                pass
    if not has_events:
        raise Damage("is not what flux dump writes: it has no " + EVENTS_NAME)


def check_events(stream: io.BufferedIOBase, size: int):
    rest = b""
    for part in chunks(stream, size):
        lines = (rest + part).split(b"\n")
        rest = lines.pop()
        if len(rest) > LONGEST_EVENT:
            raise Damage("has an event of no end in " + EVENTS_NAME)
        for line in lines:
            check_event(line)
    if rest:
        check_event(rest)


def check_event(line: bytes):
    try:
        event = json.loads(line.decode())
        known = isinstance(event["name"], str) and isinstance(event["timestamp"], (int, float))
    except (ValueError, KeyError, TypeError):
        known = False
    if not known:
        raise Damage(f"has an event in {EVENTS_NAME} that is of another version of the format: {line[:60]!r}")


def check(path: str):
    with open(path, "rb") as file:
        stream = content_of(file)
        check_members(stream)
        # gzip compares the checksum when it reads the end of the file.
        while stream.read(CHUNK):
            pass


def main(path: str):
    try:
        check(path)
    except Damage as damage:
        return DAMAGED, str(damage)
    except EOFError:
        return DAMAGED, "is cut off"
    except zlib.error as error:
        return DAMAGED, f"is damaged: {error}"
    except OSError as error:
        # Errors of gzip itself have no errno.
        if error.errno is None:
            return DAMAGED, f"is damaged: {error}"
        return UNREADABLE, error.strerror
    return 0, ""


if __name__ == "__main__":
    code, text = main(sys.argv[1])
    if text:
        print(text)
    sys.exit(code)
