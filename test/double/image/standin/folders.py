"""rundir, statedir and the folder of local-uri. Checked: src/broker/rundir.c, broker.c (init_local_uri_attr)."""

import atexit
import os
import shutil
import stat
import tempfile

from .attributes import Attributes
from .errors import Refusal

SOCKET_PATH_LIMIT = 107


def check_folder(path: str) -> None:
    """Refuses unless this is a folder that this user owns, with rwx for its owner."""
    try:
        found = os.stat(path)
    except OSError as error:
        raise Refusal(f"cannot stat {path}: {error.strerror}") from None
    if found.st_uid != os.getuid():
        raise Refusal(f"{path} is not owned by instance owner: Operation not permitted")
    if not stat.S_ISDIR(found.st_mode):
        raise Refusal(f"{path}: Not a directory")
    if found.st_mode & stat.S_IRWXU != stat.S_IRWXU:
        raise Refusal(f"{path} does not have owner=rwx permissions")


def make_temporary(parent: str) -> str:
    try:
        return tempfile.mkdtemp(prefix="flux-", dir=parent)
    except OSError as error:
        raise Refusal(f"cannot create directory in {parent}: {error.strerror}") from None


def prepare_folder(attributes: Attributes, name: str, parent: str) -> None:
    """Creates or checks the folder of an attribute. A folder that was created here is removed at exit."""
    try:
        path, made = find_or_make(attributes.get(name), parent)
        attributes.set(name, path)
        check_folder(path)
        if name == "rundir":
            prepare_rundir(path)
    except Refusal as refusal:
        raise Refusal(f"{name} {refusal.message}") from None
    wanted = attributes.get(f"{name}-cleanup")
    cleanup = made if wanted is None else wanted != "0"
    attributes.set_default(f"{name}-cleanup", "1" if cleanup else "0")
    if cleanup:
        atexit.register(shutil.rmtree, path, ignore_errors=True)


def find_or_make(path: str | None, parent: str) -> tuple[str, bool]:
    if path is None:
        return make_temporary(parent), True
    if not os.path.exists(path):
        try:
            os.mkdir(path, 0o700)
        except OSError as error:
            raise Refusal(f"error creating {path}: {error.strerror}") from None
        return path, True
    if os.stat(path).st_mode & stat.S_ISVTX:
        return make_temporary(path), True
    return path, False


def prepare_rundir(path: str) -> None:
    limit = SOCKET_PATH_LIMIT + 1 - len("/local-9999") - 1
    if len(path) > limit:
        raise Refusal(f"length of {len(path)} bytes exceeds max {limit} to allow for AF_UNIX socket creation.")
    try:
        os.mkdir(f"{path}/bin", 0o755)
        os.symlink("/usr/bin/flux", f"{path}/bin/flux")
    except FileExistsError:
        pass
    except OSError as error:
        raise Refusal(f"mkdir {path}/bin: {error.strerror}") from None


def prepare_local_uri(attributes: Attributes, rank: int) -> None:
    uri = attributes.get("local-uri")
    if uri is None:
        attributes.set("local-uri", f"local://{attributes.get('rundir')}/local-{rank}")
        return
    if not uri.startswith("local://"):
        raise Refusal("local-uri is malformed")
    path = uri.removeprefix("local://")
    try:
        check_folder(os.path.dirname(path) or ".")
    except Refusal as refusal:
        raise Refusal(f"local-uri directory {refusal.message}") from None
    if len(path) > SOCKET_PATH_LIMIT:
        raise Refusal(
            f"local-uri length of {len(path)} bytes exceeds max {SOCKET_PATH_LIMIT} AF_UNIX socket path length"
        )
