"""What clients put into the key-value store: values, and archives of files with the contents of larger ones.

Checked: src/cmd/builtin/{archive,restore}.c, src/common/libfilemap/filemap.c."""

import base64
import errno
import hashlib

from .errors import RpcError
from .rpc import Request, Switch

# flux-core keeps a shorter value in its folder, and restores it there: then the content store lacks it.
SHORTEST_BLOB = 72
MISSING = "No such file or directory"


def ref_of(blob: str) -> str:
    return f"sha1-{hashlib.sha1(base64.b64decode(blob)).hexdigest()}"


class KeyValues:
    """Rank 0's store. A dump has the values, and of the contents only those that are values too (--preserve)."""

    def __init__(self, switch: Switch):
        self.values: dict[str, object] = {}
        self.blobs: dict[str, str] = {}
        switch.add("kvs.value", self.value)
        switch.add("kvs.commit", self.commit)
        switch.add("content.store", self.store)
        switch.add("content.files", self.files)

    def value(self, request: Request) -> None:
        if request.payload["key"] not in self.values:
            raise RpcError(errno.ENOENT, MISSING)
        request.respond({"value": self.values[request.payload["key"]]})

    def commit(self, request: Request) -> None:
        for key, change in request.payload["changes"].items():
            if change is not None:
                self.values[key] = change[0]
                continue
            for known in [known for known in self.values if f"{known}.".startswith(f"{key}.")]:
                del self.values[known]
        request.respond()

    def store(self, request: Request) -> None:
        self.blobs.update((ref_of(blob), blob) for blob in request.payload["blobs"])
        request.respond()

    def files(self, request: Request) -> None:
        """The files of an archive with their contents."""
        key = f"archive.{request.payload['name']}"
        entries = self.values.get(key)
        if not isinstance(entries, list):
            raise RpcError(errno.ENOENT, f"could not lookup {key} in primary KVS namespace: {MISSING}")
        if any("\0" in entry["data"] for entry in entries if entry.get("encoding") == "utf-8"):
            # The shell's reader of JSON takes no NUL.
            raise RpcError(errno.EINVAL, f"could not lookup {key} in primary KVS namespace: Invalid argument")
        request.respond({"files": [{**entry, "parts": self.parts(entry)} for entry in entries]})

    def parts(self, entry: dict) -> "list[str]":
        """The content of a file, in base64."""
        encoding = entry.get("encoding")
        if encoding == "utf-8":
            return [base64.b64encode(entry["data"].encode()).decode()]
        if encoding == "base64":
            return [entry["data"]]
        return [self.load(entry["path"], ref) for _, _, ref in entry["data"]] if encoding == "blobvec" else []

    def load(self, path: str, ref: str) -> str:
        if ref not in self.blobs:
            kept = [value for key, value in self.values.items() if "_blobs." in key and isinstance(value, str)]
            self.blobs.update((ref_of(blob), blob) for blob in kept if len(base64.b64decode(blob)) >= SHORTEST_BLOB)
        if ref not in self.blobs:
            raise RpcError(errno.ENOENT, f"{path}: error loading from {ref}: {MISSING}")
        return self.blobs[ref]
