"""Checks that an archive can be restored: archive.py FILE.

Exits with 0 if the file is a whole dump of `flux dump`. Otherwise it prints in what way the file is none, and exits with 65
(the content is at fault) or 74 (the file can't be read). The file is read as a stream, whatever its size."""
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
# Flux has this key in every instance, from the start of the first one.
EVENTS = b"resource/eventlog"
EVENTS_NAME = EVENTS.decode()


class Damage(Exception):
    """What is wrong with the content, as the rest of a sentence about the file."""


def content_of(file):
    magic = file.read(2)
    file.seek(0)
    if not magic:
        raise Damage("is empty")
    # Flux writes plain tar where its libarchive is older than 3.2.
    return io.BufferedReader(gzip.GzipFile(fileobj=file), CHUNK) if magic == b"\x1f\x8b" else file


def take(stream, size):
    data = stream.read(size)
    if len(data) < size:
        raise Damage("is cut off")
    return data


def chunks(stream, size):
    while size > 0:
        yield take(stream, min(size, CHUNK))
        size -= CHUNK


def number(field):
    """A number of a tar header: octal, or binary if it has no room for that."""
    if field[0] & 0x80:
        return int.from_bytes(field[1:], "big")
    return int(field.rstrip(b"\0 ") or b"0", 8)


def size_in(header):
    checksum = header[148:156]
    try:
        if number(checksum) == sum(header) - sum(checksum) + 8 * ord(" "):
            return number(header[124:136])
    except ValueError:
        pass
    raise Damage("is not a tar file, or damaged in its middle")


def check_members(stream):
    has_events = False
    while True:
        header = take(stream, BLOCK)
        # The end mark: two blocks of zeros.
        if not any(header):
            break
        size = size_in(header)
        if header[:100].rstrip(b"\0") == EVENTS and header[156:157] in (b"0", b"\0"):
            check_events(chunks(stream, size))
            has_events = True
            take(stream, -size % BLOCK)
        else:
            for _ in chunks(stream, size + -size % BLOCK):
                pass
    if not has_events:
        raise Damage("is not what flux dump writes: it has no " + EVENTS_NAME)


def check_events(parts):
    rest = b""
    for part in parts:
        lines = (rest + part).split(b"\n")
        rest = lines.pop()
        if len(rest) > LONGEST_EVENT:
            raise Damage("has an event of no end in " + EVENTS_NAME)
        for line in lines:
            check_event(line)
    if rest:
        check_event(rest)


def check_event(line):
    try:
        event = json.loads(line.decode())
        known = isinstance(event["name"], str) and isinstance(event["timestamp"], (int, float))
    except (ValueError, KeyError, TypeError):
        known = False
    if not known:
        raise Damage("has an event in {} that is of another version of the format: {!r}".format(EVENTS_NAME, line[:60]))


def check(path):
    with open(path, "rb") as file:
        stream = content_of(file)
        check_members(stream)
        # The sum of the content is at the end of gzip's, and compared when that is read.
        while stream.read(CHUNK):
            pass


def main(path):
    try:
        check(path)
    except Damage as damage:
        return DAMAGED, str(damage)
    except EOFError:
        return DAMAGED, "is cut off"
    except zlib.error as error:
        return DAMAGED, "is damaged: {}".format(error)
    except OSError as error:
        # gzip's own complaints have no number of the system's.
        if error.errno is None:
            return DAMAGED, "is damaged: {}".format(error)
        return UNREADABLE, error.strerror
    return 0, ""


if __name__ == "__main__":
    code, text = main(sys.argv[1])
    if text:
        print(text)
    sys.exit(code)
