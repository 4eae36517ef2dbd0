"""The renewed certificate of the RESTful server. A manager of certificates replaces the files of the Secret while the
server runs."""

import os
import ssl
import sys
from typing import Any, Tuple

Mark = Tuple[Tuple[int, int], ...]

# The files that were loaded last.
loaded: "Mark | None" = None


def renew(config: Any) -> None:
    """Gives the files' certificate to the worker's TLS context, if they have changed. A connection is made before its
    handshake, so that its client already gets the new certificate."""
    global loaded
    if config.ssl is None:
        return
    # Kubernetes replaces the folder of the files, so that the real files belong together.
    files = [os.path.realpath(file) for file in (config.ssl_certfile, config.ssl_keyfile)]
    try:
        mark = mark_of(files)
        if mark == loaded:
            return
        loaded = mark
        # A context that refuses a pair keeps half of it.
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(*files)
        config.ssl.load_cert_chain(*files)
    except OSError as error:
        print(f"ERROR:    the renewed TLS certificate can't be loaded, the last one stays: {error}", file=sys.stderr)


def mark_of(files: "list[str]") -> Mark:
    return tuple((status.st_ino, status.st_mtime_ns) for status in map(os.stat, files))
