"""Makes an archive of packed files: `NAME HASH SIZE` reads SIZE bytes from standard input, a compressed tar file. HASH
is the SHA-256 of the tar file.

What a killed call leaves is removed by the next one. Only one call unpacks files and makes an archive at a time; each
reads its own connection before."""

import base64
import contextlib
import fcntl
import gzip
import hashlib
import os
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import typing

import codes
import flux
import flux.kvs

# Bytes that are read at a time.
STEP = 1 << 20
# Seconds for which a connection may bring nothing.
PAUSE = 60


def receive(size: int, packed: "typing.IO[bytes]"):
    """Reads the packed files into a file."""
    while size > 0:
        # Ends this program.
        signal.alarm(PAUSE)
        data = os.read(sys.stdin.fileno(), min(size, STEP))
        if not data:
            raise OSError(f"its files have not arrived ({size} bytes are missing)")
        packed.write(data)
        size -= len(data)
    signal.alarm(0)
    packed.seek(0)


class Hashed:
    """A stream, and the hash of what has been read."""

    def __init__(self, stream: "typing.IO[bytes]"):
        self.stream = stream
        self.hash = hashlib.sha256()

    def read(self, size: int = STEP) -> bytes:
        data = self.stream.read(size)
        self.hash.update(data)
        return data


def unpack(packed: "typing.IO[bytes]", folder: str, wanted: str):
    # Without a filter, Python 3.12 warns.
    how: dict = {"filter": "tar"} if hasattr(tarfile, "tar_filter") else {}
    try:
        with gzip.GzipFile(fileobj=packed) as unpacked:
            stream = Hashed(typing.cast("typing.IO[bytes]", unpacked))
            with tarfile.open(fileobj=typing.cast("typing.IO[bytes]", stream), mode="r|") as tar:
                tar.extractall(folder, **how)
            while stream.read():
                pass
    except (EOFError, tarfile.TarError) as error:
        raise OSError(f"its files have not arrived ({error})") from error
    found = stream.hash.hexdigest()
    if found != wanted:
        raise OSError(f"its files have arrived with the SHA-256 {found}")


def create(handle: "flux.Flux", folder: str, name: str, lock: int) -> str:
    """Makes the archive under another name, and returns its key."""
    # Its keys are below one that goes with the archive.
    draft = f"{name}_blobs.draft"
    # What a killed call has left.
    flux.kvs.put_unlink(handle, f"archive.{name}_blobs")
    flux.kvs.commit(handle)
    # --preserve and parts of any size: a dump of the queue has all contents only so.
    options = ["--preserve", "--chunksize=0", f"--name={draft}", f"--directory={folder}"]
    # It keeps the lock if this program is killed: the next one would remove the files that it reads.
    done = subprocess.run(
        ["flux", "archive", "create", *options, "."],
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        pass_fds=[lock],
    )
    if done.returncode != 0:
        raise OSError(done.stderr.decode("utf-8", "replace").strip())
    return f"archive.{draft}"


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
    parent = parent_of(handle)
    folder = os.path.join(parent, "minicluster-code")
    try:
        # A killed call leaves nothing of a file without a name.
        with tempfile.TemporaryFile(dir=parent) as packed, open("put_code.lock", "w", encoding="utf-8") as lock:
            receive(size, packed)
            fcntl.flock(lock, fcntl.LOCK_EX)
            if codes.exists(handle, name):
                return
            shutil.rmtree(folder, ignore_errors=True)
            try:
                os.mkdir(folder)
                unpack(packed, folder, wanted)
                publish(handle, name, create(handle, folder, name, lock.fileno()))
            finally:
                shutil.rmtree(folder, ignore_errors=True)
    except OSError as error:
        sys.exit(f"flux-code: ERROR: {error}")


main()
