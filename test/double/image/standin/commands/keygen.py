"""`flux keygen`. Checked: src/cmd/flux-keygen.c."""

import os
import socket
import sys
import time

from standin.certificate import certificate_text, create_certificate
from standin.errors import Refusal
from standin.options import Options
from standin.version import version_text

OPTIONS = Options("flux-keygen", "[OPTIONS] [PATH]", "n/name= meta=", mixed=True)


def metadata(name: str | None, pairs: list[str]) -> dict[str, str]:
    """The metadata. If a key comes twice, its first value counts."""
    import zmq

    values: dict[str, str] = {"name": name} if name else {}
    for pair in (part for argument in pairs for part in argument.split(",")):
        key, _, value = pair.partition("=")
        values.setdefault(key, value)
    hostname = socket.gethostname()
    for key, value in (
        ("name", hostname),
        ("keygen.hostname", hostname),
        ("keygen.time", time.strftime("%Y-%m-%dT%H:%M:%S")),
        ("keygen.userid", str(os.getuid())),
        ("keygen.flux-core-version", f"{version_text()}-standin"),
        ("keygen.zmq-version", zmq.zmq_version()),
    ):
        values.setdefault(key, value)
    return values


def main(_name: str, args: list[str]) -> int:
    parsed = OPTIONS.parse(args)
    if len(parsed.rest) > 1:
        OPTIONS.print_usage(sys.stderr)
        return 1
    certificate = create_certificate(metadata(parsed.get("name"), parsed.all("meta")))
    if not parsed.rest:
        print("flux-keygen: WARNING: add PATH argument to save generated certificate", file=sys.stderr)
        return 0
    try:
        descriptor = os.open(parsed.rest[0], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    except OSError as error:
        raise Refusal(f"flux-keygen: open {parsed.rest[0]}: {error.strerror}") from None
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(certificate_text(certificate))
    return 0
