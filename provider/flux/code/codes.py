"""The archives of the code of FluxJobs, in Flux' key-value store. An archive has the name of its content, and lasts as
long as one of its FluxJobs: jobs with equal code share it.

Between a look at the jobs of an archive and a change of it, no other program of the lead may change them: `locked`."""

import contextlib
import errno
import fcntl
import os
import typing

import flux
import flux.kvs


@contextlib.contextmanager
def locked() -> "typing.Generator[None, None, None]":
    with open(os.path.join(os.environ["MINICLUSTER_RUN"], "jobs", "code.lock"), "w", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def exists(handle: "flux.Flux", archive: str) -> bool:
    return flux.kvs.exists(handle, f"archive.{archive}")


def join(handle: "flux.Flux", archive: str, nonce: str):
    """A FluxJob needs the archive, from the next commit on. The archive itself may come later."""
    flux.kvs.put(handle, key_of(archive), sorted({*jobs_of(handle, archive), nonce}))


def leave(handle: "flux.Flux", archive: str, nonce: str):
    """A FluxJob doesn't need the archive any more, from the next commit on. The last one takes it along."""
    left = [other for other in jobs_of(handle, archive) if other != nonce]
    if left:
        flux.kvs.put(handle, key_of(archive), left)
    else:
        drop(handle, archive)


def drop(handle: "flux.Flux", archive: str):
    """Removes an archive with the next commit, as `flux archive remove` does."""
    for key in (key_of(archive), f"archive.{archive}", f"archive.{archive}_blobs"):
        flux.kvs.put_unlink(handle, key)


def jobs_of(handle: "flux.Flux", archive: str) -> "list[str]":
    """The nonces of the FluxJobs that need an archive."""
    try:
        return list(flux.kvs.get(handle, key_of(archive)))
    except OSError as error:
        if error.errno != errno.ENOENT:
            raise
        return []


def key_of(archive: str) -> str:
    return f"minicluster.code.{archive}"
