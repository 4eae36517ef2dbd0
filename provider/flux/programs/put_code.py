"""Makes an archive of packed files: `NAME HASH SIZE` reads SIZE bytes from standard input, a compressed tar file. HASH
is the SHA-256 of the tar file.

What a killed call leaves is removed by the next one. Only one call runs at a time."""

import base64
import contextlib
import fcntl
import gzip
import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import typing

import codes
import flux
import flux.kvs

# Bytes that are read at a time.
STEP = 1 << 20


class Part:
    """The first bytes of a stream that doesn't end."""

    def __init__(self, stream: "typing.IO[bytes]", size: int):
        self.stream = stream
        self.left = size

    def read(self, size: int = STEP) -> bytes:
        wanted = min(size, self.left)
        data = self.stream.read(wanted)
        self.left -= len(data)
        if len(data) < wanted:
            raise EOFError(f"{self.left} bytes are missing")
        return data


class Hashed:
    """A stream, and the hash of what has been read."""

    def __init__(self, stream: "typing.IO[bytes]"):
        self.stream = stream
        self.hash = hashlib.sha256()

    def read(self, size: int = STEP) -> bytes:
        data = self.stream.read(size)
        self.hash.update(data)
        return data


def unpack(packed: "typing.IO[bytes]", folder: str) -> str:
    """Unpacks the files, and returns the hash of the tar file."""
    stream = Hashed(packed)
    # Without a filter, Python 3.12 warns.
    how: dict = {"filter": "tar"} if hasattr(tarfile, "tar_filter") else {}
    with tarfile.open(fileobj=typing.cast("typing.IO[bytes]", stream), mode="r|") as tar:
        tar.extractall(folder, **how)
    while stream.read():
        pass
    return stream.hash.hexdigest()


def make(handle: "flux.Flux", folder: str, name: str, wanted: str, size: int):
    part = typing.cast("typing.IO[bytes]", Part(sys.stdin.buffer, size))
    try:
        with gzip.GzipFile(fileobj=part) as packed:
            found = unpack(typing.cast("typing.IO[bytes]", packed), folder)
    except (EOFError, tarfile.TarError) as error:
        raise OSError(f"its files have not arrived ({error})") from error
    if found != wanted:
        raise OSError(f"its files have arrived with the SHA-256 {found}")
    # Its keys are below one that goes with the archive.
    draft = f"{name}_blobs.draft"
    # What a killed call has left.
    flux.kvs.put_unlink(handle, f"archive.{name}_blobs")
    flux.kvs.commit(handle)
    # --preserve and parts of any size: a dump of the queue has all contents only so.
    options = ["--preserve", "--chunksize=0", f"--name={draft}", f"--directory={folder}"]
    done = subprocess.run(
        ["flux", "archive", "create", *options, "."], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    if done.returncode != 0:
        raise OSError(done.stderr.decode("utf-8", "replace").strip())
    publish(handle, name, f"archive.{draft}")


def publish(handle: "flux.Flux", name: str, draft: str):
    """Gives a draft its name, or removes it if all FluxJobs that need it were removed while it was made."""
    with codes.locked():
        if codes.jobs_of(handle, name):
            flux.kvs.put(handle, f"archive.{name}", [readable(entry) for entry in flux.kvs.get(handle, draft)])
            flux.kvs.put_unlink(handle, draft)
        else:
            codes.drop(handle, name)
        flux.kvs.commit(handle)


def readable(entry: dict) -> dict:
    """Flux stores a small file as a text if it is UTF-8, but Flux' shell can't read an archive with a NUL in a text."""
    if entry.get("encoding") != "utf-8" or "\0" not in entry["data"]:
        return entry
    return {**entry, "encoding": "base64", "data": base64.b64encode(entry["data"].encode()).decode()}


def parent_of(handle: "flux.Flux") -> str:
    """A folder on a disk: the run folder is in memory."""
    with contextlib.suppress(OSError):
        return handle.attr_get("statedir")
    return handle.attr_get("rundir")


def main():
    name, wanted, size = sys.argv[1], sys.argv[2], int(sys.argv[3])
    # The files get the modes that they have in the tar file, whatever the umask of job.sh is.
    os.umask(0o022)
    handle = flux.Flux()
    folder = os.path.join(parent_of(handle), "minicluster-code")
    with open("put_code.lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if codes.exists(handle, name):
            return
        try:
            shutil.rmtree(folder, ignore_errors=True)
            os.mkdir(folder)
            make(handle, folder, name, wanted, size)
        except OSError as error:
            sys.exit(f"flux-code: ERROR: {error}")
        finally:
            shutil.rmtree(folder, ignore_errors=True)


main()
