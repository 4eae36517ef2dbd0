"""`flux archive create`, `list` and `remove`. Checked: src/cmd/builtin/archive.c, src/common/libfilemap/fileref.c.

An entry has the path, the mode, and the content: the target of a link, a text, base64, or the names of blobs.
"""

import base64
import os
import stat
import sys

from standin.client import Client, connect
from standin.errors import Refusal, RpcError
from standin.key_values import ref_of
from standin.options import NOT_IMPLEMENTED, Options

CREATE = Options(
    "flux archive create",
    "[-n NAME] [-C DIR] [--preserve] PATH ...",
    "n/name= C/directory= preserve chunksize=",
    "no-force-primary v/verbose? overwrite append mmap small-file-threshold= T/tags= disable-mmap",
)
REMOVE = Options("flux archive remove", "[-n NAME] [-f]", "n/name= f/force", "no-force-primary T/tags=")
LIST = Options("flux archive list", "[-n NAME] [PATTERN]", "n/name=", "no-force-primary l/long raw T/tags=")
SMALL = 1 << 10
CHUNKS = {"": 1 << 20, "0": sys.maxsize}


def main(_name: str, args: "list[str]") -> int:
    command = {"create": create, "list": list_files, "remove": remove}.get(args[0] if args else "")
    if command is None:
        raise Refusal(
            "flux-archive: stand-in: only create, list and remove of flux-core are implemented here", NOT_IMPLEMENTED
        )
    return command(args[1:])


def create(args: "list[str]") -> int:
    parsed = CREATE.parse(args)
    if not parsed.rest:
        CREATE.print_usage(sys.stderr)
        return 1
    key, chunk = f"archive.{parsed.get('name', 'main')}", CHUNKS.get(parsed.get("chunksize", "") or "")
    if chunk is None:
        raise Refusal("flux-archive: stand-in: --chunksize is only 0 here", NOT_IMPLEMENTED)
    client = connect("flux-archive: flux_open")
    if lookup(client, key) is not None:
        raise Refusal(f"flux-archive: {key}: key exists")
    blobs: list[str] = []
    try:
        if parsed.has("directory"):
            os.chdir(parsed.get("directory") or "")
        entries = [entry_of(path, chunk, blobs) for root in parsed.rest for path in paths_in(root)]
    except OSError as error:
        raise Refusal(f"flux-archive: {error.filename}: {error.strerror}") from None
    kept = {f"{key}_blobs.{number}": [blob] for number, blob in enumerate(blobs)} if parsed.has("preserve") else {}
    client.call("content.store", {"blobs": blobs}, 0)
    client.call("kvs.commit", {"changes": {**kept, key: [entries]}}, 0)
    return 0


def paths_in(root: str) -> "list[str]":
    """The files and folders, a folder after what is in it."""
    if not stat.S_ISDIR(os.lstat(root).st_mode):
        return [root]
    found: list[str] = []
    for folder, folders, files in os.walk(root, topdown=False):
        links = [name for name in folders if os.path.islink(f"{folder}/{name}")]
        found += [f"{folder}/{name}" for name in [*files, *links]]
        found += [] if folder == "." else [folder]
    return found


def entry_of(path: str, chunk: int, blobs: "list[str]") -> dict:
    mode = os.lstat(path).st_mode
    if stat.S_ISLNK(mode):
        return {"path": path, "mode": mode, "data": os.readlink(path)}
    if not stat.S_ISREG(mode):
        return {"path": path, "mode": mode}
    with open(path, "rb") as file:
        content = file.read()
    if not content:
        return {"path": path, "mode": mode}
    if len(content) <= SMALL:
        try:
            return {"path": path, "mode": mode, "encoding": "utf-8", "data": content.decode()}
        except UnicodeDecodeError:
            return {"path": path, "mode": mode, "encoding": "base64", "data": base64.b64encode(content).decode()}
    parts: list[list] = []
    for at in range(0, len(content), chunk):
        part = content[at : at + chunk]
        blobs.append(base64.b64encode(part).decode())
        parts.append([at, len(part), ref_of(blobs[-1])])
    return {"path": path, "mode": mode, "encoding": "blobvec", "data": parts}


def lookup(client: Client, key: str) -> "list[dict] | None":
    try:
        return client.call("kvs.value", {"key": key}, 0)["value"]
    except RpcError:
        return None


def list_files(args: "list[str]") -> int:
    parsed = LIST.parse(args)
    key = f"archive.{parsed.get('name', 'main')}"
    entries = lookup(connect("flux-archive: flux_open"), key)
    if entries is None:
        raise Refusal(f"flux-archive: KVS lookup {key}: No such file or directory")
    for entry in entries:
        print(entry["path"])
    return 0


def remove(args: "list[str]") -> int:
    parsed = REMOVE.parse(args)
    key, client = f"archive.{parsed.get('name', 'main')}", connect("flux-archive: flux_open")
    if lookup(client, key) is None and not parsed.has("force"):
        raise Refusal(f"flux-archive: {key} does not exist")
    client.call("kvs.commit", {"changes": {key: None, f"{key}_blobs": None}}, 0)
    return 0
